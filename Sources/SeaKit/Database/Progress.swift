internal import SeaEngine

/// The progress of long work.
public struct Progress: Sendable, Hashable {
  /// The kind of work in one word: `fetching`, `handing`, `verifying`, `packing`, `reading` and others.
  public let kind: String
  /// The file or container that is being processed; may be empty.
  public let subject: String
  /// The amount completed so far, in bytes or items.
  public let completed: Int64
  /// The total amount, in the same unit as `completed`; nil while it is unknown.
  public let total: Int64?
  /// Whether `completed` and `total` count bytes; otherwise they count items.
  public let isInBytes: Bool

  init(_ work: Work) {
    (kind, subject, completed, total) = (work.kind.rawValue, work.what, work.done, work.total)
    isInBytes = work.unit == .bytes
  }

  static func report(_ progress: (@Sendable (Progress) -> Void)?) -> (@Sendable (Work) -> Void)? {
    guard let progress else { return nil }
    return { progress(Progress($0)) }
  }
}
