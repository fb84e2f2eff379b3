internal import SeaEngine

/// How far long work has come.
public struct Progress: Sendable, Hashable {
  /// What is done, in one word: `fetching`, `handing`, `verifying`, `packing`, `reading` and others.
  public let kind: String
  /// The file or container that is worked on; may be empty.
  public let subject: String
  /// How much is done, in bytes or items.
  public let completed: Int64
  /// How much there is; nil if nobody can say yet.
  public let total: Int64?
  /// Whether bytes are counted; else items are.
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
