/// A place for the files of a container that a program brings itself: anything that keeps bytes under names. It need not know what they
/// are, and nothing is believed because it was kept: what it hands over is verified.
///
///     options.containers["drive"] = { location in DriveContainer(location) }
///     let database = try await Database.open(folder, creating: "org.example.boats", options)
///     try await database.addContainer("cloud", at: "drive:boats", creating: true)
///
/// A name is 1 to 255 bytes of UTF-8: words with `/` between, none of them `.` or `..`. Those that are asked to be written have letters, digits,
/// `.`, `_`, `-` and `/` alone. Folders are no things of their own: they come and go with the files in them. A file has at most 1 GiB.
///
/// Calls come from tasks that nothing else waits for, several at once where they are about different files; one call may take as long as
/// `patience` says, and its task is cancelled then. What it throws is told as a ``SeaError`` with what that says of itself; a ``ContainerFault``
/// says more exactly what is wrong. `ContainerContract` in `SeaContainerTesting` holds one against all that is said here.
public protocol Container: Sendable {
  /// Names every file that is there, in any order. A place without any is no container yet.
  /// - Parameters:
  ///   - folder: names those alone whose names begin with this and `/`; nil for all.
  ///   - found: told each of them; what it throws ends the call.
  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws

  /// A part of a file.
  /// - Parameters:
  ///   - name: of the file.
  ///   - offset: the first byte, from 0.
  ///   - count: how many bytes; 4 MiB as a rule, and never more than 1 GiB.
  /// - Returns: so many bytes, or those up to the end of the file, which may be none; nil if there is no such file.
  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]?

  /// Writes a file that is not there yet. It appears whole or not at all: not if the content ends with an error, and not if this is
  /// stopped by anything.
  /// - Parameters:
  ///   - name: of the file.
  ///   - content: all of its bytes.
  /// - Returns: false if something has the name: that stays as it is.
  func write(_ name: String, _ content: FileContent) async throws -> Bool

  /// Writes a file, in the place of the one that has the name, if one has. It appears whole or not at all.
  /// - Parameters:
  ///   - name: of the file.
  ///   - content: all of its bytes.
  func replace(_ name: String, _ content: FileContent) async throws

  /// Takes a file away; it need not be there.
  /// - Parameter name: of the file.
  func remove(_ name: String) async throws

  /// Returns when all that was done survives a loss of power. Nothing by default, as for what is elsewhere when a call returns.
  func flush() async throws

  /// What may be done; everything by default. It is asked once, at the beginning.
  var access: ContainerAccess { get }

  /// How long a call may take, or writing may take no piece of its content: a minute by default, and ten at most.
  var patience: Duration { get }
}

extension Container {
  /// Nothing is left to do.
  public func flush() async throws {}
  /// Everything.
  public var access: ContainerAccess { .everything }
  /// A minute.
  public var patience: Duration { .seconds(60) }
}

/// What may be done in a container.
public enum ContainerAccess: Sendable {
  /// Reading and writing.
  case everything
  /// What is there stays, but for files in the folder `heads`, which are replaced.
  case appendOnly
  /// Reading.
  case readOnly
}

/// A file as a container lists it.
public struct ContainerFile: Sendable, Hashable {
  /// Its name, from the top of the container.
  public var name: String
  /// Its size in bytes.
  public var size: Int64
  /// When it was changed last; nil where nobody knows.
  public var changed: Timestamp?

  /// What is known of it.
  public init(_ name: String, size: Int64, changed: Timestamp? = nil) {
    (self.name, self.size, self.changed) = (name, size, changed)
  }
}

/// What a container of a program throws where it knows what is wrong; the text is for who reads the message of the ``SeaError``.
public enum ContainerFault: Error, Sendable, Hashable {
  /// The place cannot be reached: `unreachable`. A later sync may do better.
  case unreachable(String)
  /// Not now: what was asked is asked again up to six times, and then it is `unreachable`.
  case busy(String)
  /// It is not allowed: `denied`.
  case denied(String)
  /// No room is left: `no-space`.
  case full(String)
  /// The place has no files of that size: `refused`.
  case tooLarge(String)
}
