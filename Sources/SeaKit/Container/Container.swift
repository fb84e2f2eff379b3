/// Storage for the files of a container, implemented by your program on top of anything that can store bytes under
/// names. The storage need not be trusted or understand the files, because everything read from it is verified.
///
///     options.containers["drive"] = { location in DriveContainer(location) }
///     let database = try await Database.open(folder, creating: "org.example.boats", options)
///     try await database.addContainer("cloud", at: "drive:boats", creating: true)
///
/// A file name has 1 to 255 bytes of UTF-8 and consists of components separated by `/`, none of them `.` or `..`. The
/// names of written files contain only letters, digits, `.`, `_`, `-` and `/`. A folder exists only while it has files.
/// A file has at most 1 GiB.
///
/// The methods are called from separate tasks, concurrently if they concern different files. If a call takes longer
/// than `patience`, its task is cancelled. Errors are converted to a ``SeaError`` with their description; to be more
/// specific, throw a ``ContainerFault``. To test an implementation, use `ContainerContract` in `SeaContainerTesting`.
public protocol Container: Sendable {
  /// Lists files, in any order. A location without files is not a container yet.
  /// - Parameters:
  ///   - folder: the folder to list, including its subfolders; nil for all files.
  ///   - found: call this closure with each file, and rethrow its errors.
  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws

  /// Reads a part of a file.
  /// - Parameters:
  /// - offset: the offset of the first byte, starting at 0.
  /// - count: the number of bytes to read: usually 4 MiB, and never more than 1 GiB.
  /// - Returns: the bytes, which can be fewer than requested (even none) at the end of the file; nil if the file is
  ///   missing.
  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]?

  /// Writes a new file. The file must appear completely or not at all, even if the content or the call is interrupted.
  /// - Returns: false if the file already exists, in which case it must not be changed.
  func write(_ name: String, _ content: FileContent) async throws -> Bool

  /// Writes a file, replacing an existing one. The new file must appear completely or not at all.
  func replace(_ name: String, _ content: FileContent) async throws

  /// Removes a file, if it exists.
  func remove(_ name: String) async throws

  /// Returns when the effects of all completed calls would survive a power loss. The default implementation does
  /// nothing, which is suitable for remote storage.
  func flush() async throws

  /// Returns a stream of the changes that anyone makes: the name of each file, or an empty string if the name
  /// is unknown. ``AutomaticSync`` then syncs at once instead of at its next interval. The default implementation returns
  /// nil, which means that the container does not report changes.
  func changes() -> AsyncStream<String>?

  /// The permitted operations; by default, all of them. This property is read once, before the first call.
  var access: ContainerAccess { get }

  /// The maximum duration of a call, or of reading one piece of its content. The default is one minute; longer than ten
  /// minutes is not allowed.
  var patience: Duration { get }
}

extension Container {
  /// Does nothing.
  public func flush() async throws {}
  /// Nil.
  public func changes() -> AsyncStream<String>? { nil }
  /// All operations.
  public var access: ContainerAccess { .everything }
  /// One minute.
  public var patience: Duration { .seconds(60) }
}

/// The operations that a container permits.
public enum ContainerAccess: Sendable {
  /// Reading and writing.
  case everything
  /// Reading and adding files. Only existing files in the folder `heads` can be replaced.
  case appendOnly
  /// Reading only.
  case readOnly
}

/// The description of a file in a container.
public struct ContainerFile: Sendable, Hashable {
  /// The name, including folders.
  public var name: String
  /// The size in bytes.
  public var size: Int64
  /// The time at which the file was last changed; nil if unknown.
  public var changed: Timestamp?

  /// Creates the description of a file.
  public init(_ name: String, size: Int64, changed: Timestamp? = nil) {
    (self.name, self.size, self.changed) = (name, size, changed)
  }
}

/// An error of a ``Container``. The string becomes part of the message of the ``SeaError``.
public enum ContainerFault: Error, Sendable, Hashable {
  /// The storage is unreachable, but a later sync may succeed. The error code is `unreachable`.
  case unreachable(String)
  /// The storage is busy. The operation is tried again up to six times, and then fails with the code `unreachable`.
  case busy(String)
  /// The operation is not allowed. The error code is `denied`.
  case denied(String)
  /// The storage is full. The error code is `no-space`.
  case full(String)
  /// The storage does not accept a file of this size. The error code is `refused`.
  case tooLarge(String)
}
