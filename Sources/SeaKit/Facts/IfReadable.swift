import SeaContainer
import SeaSystem

/// Nil if what is there cannot be read, asked twice: what a disk, or a network, fails to give once may be good, and nothing good is
/// ever set aside.
/// - Parameter read: begins anew each time.
func ifReadable<Result>(_ read: () throws -> Result) throws -> Result? {
  for _ in 0..<2 {
    do {
      return try read()
    } catch ContainerError.system(let error) where error.isUnreadable {}
  }
  return nil
}
