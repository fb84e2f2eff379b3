import SeaContainer
import SeaSystem

/// Asks twice for what cannot be read: what a disk, or a network, fails to give once may be good.
/// - Parameter read: begins anew each time.
func readTwice<Result>(_ read: () throws -> Result) throws -> Result {
  do {
    return try read()
  } catch ContainerError.system(let error) where error.isUnreadable {
    return try read()
  }
}

/// Nil if what is there cannot be read, asked twice: nothing good is ever set aside.
/// - Parameter read: begins anew each time.
func ifReadable<Result>(_ read: () throws -> Result) throws -> Result? {
  do {
    return try readTwice(read)
  } catch ContainerError.system(let error) where error.isUnreadable {
    return nil
  }
}
