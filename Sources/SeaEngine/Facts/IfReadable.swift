import SeaContainer
import SeaSystem

/// Calls `read`, and retries once after a read error, because the error may be temporary.
/// - Parameter read: called once or twice; must start from the beginning each time.
func readTwice<Result>(_ read: () throws -> Result) throws -> Result {
  do {
    return try read()
  } catch ContainerError.system(let error) where error.isUnreadable {
    return try read()
  }
}

/// Returns nil if two attempts to read fail. Retrying ensures that a temporary error does not cause valid data to be
/// moved aside.
func ifReadable<Result>(_ read: () throws -> Result) throws -> Result? {
  do {
    return try readTwice(read)
  } catch ContainerError.system(let error) where error.isUnreadable {
    return nil
  }
}
