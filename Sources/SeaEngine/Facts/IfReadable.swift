import SeaContainer
import SeaSystem

/// Reads, and tries again after a read error, because a disk or a network may fail only once.
/// - Parameter read: starts from the beginning each time.
func readTwice<Result>(_ read: () throws -> Result) throws -> Result {
  do {
    return try read()
  } catch ContainerError.system(let error) where error.isUnreadable {
    return try read()
  }
}

/// Returns nil if two tries fail, so that a temporary error does not cause valid data to be moved aside.
/// - Parameter read: starts from the beginning each time.
func ifReadable<Result>(_ read: () throws -> Result) throws -> Result? {
  do {
    return try readTwice(read)
  } catch ContainerError.system(let error) where error.isUnreadable {
    return nil
  }
}
