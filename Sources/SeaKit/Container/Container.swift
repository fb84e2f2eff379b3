/// A storage for the files of a container, provided by the program: anything that keeps bytes under names. It need not
/// understand the files, and need not be trusted, because everything read from it is verified.
///
///     options.containers["drive"] = { location in DriveContainer(location) }
///     let database = try await Database.open(folder, creating: "org.example.boats", options)
///     try await database.addContainer("cloud", at: "drive:boats", creating: true)
///
/// A name has 1 to 255 bytes of UTF-8: components separated by `/`, none of them `.` or `..`. The names of written
/// files use only letters, digits, `.`, `_`, `-` and `/`. Folders exist only through their files. A file has at most 1
/// GiB.
///
/// Calls come from separate tasks, and concurrently for different files. A call may take as long as `patience`; then
/// its task is cancelled. Its errors become a ``SeaError`` with their description; throw a ``ContainerFault`` to be
/// more specific. `ContainerContract` in `SeaContainerTesting` tests an implementation.
public protocol Container: Sendable {
  /// Lists all files, in any order. A place without files is not a container yet.
  /// - Parameters:
  ///   - folder: lists only names that begin with this and `/`; nil for all.
  ///   - found: receives each file; if it throws, the call ends with that error.
  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws

  /// Reads a part of a file.
  /// - Parameters:
  ///   - name: the name of the file.
  ///   - offset: the first byte, from 0.
  ///   - count: the number of bytes: usually 4 MiB, and at most 1 GiB.
  /// - Returns: these bytes, or fewer (even none) at the end of the file; nil if there is no such file.
  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]?

  /// Writes a new file. It appears completely or not at all, even if the content or the call is interrupted.
  /// - Parameters:
  ///   - name: the name of the file.
  ///   - content: all its bytes.
  /// - Returns: false if the file exists already; it stays unchanged.
  func write(_ name: String, _ content: FileContent) async throws -> Bool

  /// Writes a file, and replaces an existing one. It appears completely or not at all.
  /// - Parameters:
  ///   - name: the name of the file.
  ///   - content: all its bytes.
  func replace(_ name: String, _ content: FileContent) async throws

  /// Removes a file, if it exists.
  /// - Parameter name: the name of the file.
  func remove(_ name: String) async throws

  /// Returns when all completed calls are safe from a power loss. By default, it does nothing, as for remote storage.
  func flush() async throws

  /// The permitted operations; by default, all. It is read once, at the beginning.
  var access: ContainerAccess { get }

  /// The longest time that a call, or taking one piece of content, may take: by default a minute, at most ten.
  var patience: Duration { get }
}

extension Container {
  /// Does nothing.
  public func flush() async throws {}
  /// All operations.
  public var access: ContainerAccess { .everything }
  /// One minute.
  public var patience: Duration { .seconds(60) }
}

/// The operations that a container permits.
public enum ContainerAccess: Sendable {
  /// Reading and writing.
  case everything
  /// Existing files cannot be changed, except those in the folder `heads`, which are replaced.
  case appendOnly
  /// Reading.
  case readOnly
}

/// A file in the list of a container.
public struct ContainerFile: Sendable, Hashable {
  /// The name, from the top of the container.
  public var name: String
  /// The size in bytes.
  public var size: Int64
  /// The time of the last change; nil if unknown.
  public var changed: Timestamp?

  /// A file with these properties.
  public init(_ name: String, size: Int64, changed: Timestamp? = nil) {
    (self.name, self.size, self.changed) = (name, size, changed)
  }
}

/// An error that tells a sync the kind of fault. Its text becomes part of the message of the ``SeaError``.
public enum ContainerFault: Error, Sendable, Hashable {
  /// The storage is unreachable: `unreachable`. A later sync may succeed.
  case unreachable(String)
  /// The storage is busy. The operation is retried up to six times, and then fails as `unreachable`.
  case busy(String)
  /// The operation is not allowed: `denied`.
  case denied(String)
  /// The storage is full: `no-space`.
  case full(String)
  /// The storage cannot keep a file of this size: `refused`.
  case tooLarge(String)
}
