package struct Work: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case reading, packing, verifying, unpacking, fetching, handing, adding, checking, searching, writing, undoing,
      trying
  }

  package enum Unit: String, Sendable {
    case bytes, items
  }

  package var kind: Kind
  /// The file or container in use, such as the source of a fetch; may be empty.
  package var what: String
  package var done: Int64
  /// The total amount; nil if unknown. `done` may exceed `total`, because files can grow.
  package var total: Int64?
  package var unit: Unit

  package init(_ kind: Kind, _ what: String, done: Int64, of total: Int64? = nil, unit: Unit = .bytes) {
    self.kind = kind
    self.what = what
    self.done = done
    self.total = total
    self.unit = unit
  }
}

/// Called during long operations, about once per MiB or block. Must return quickly.
package typealias WorkReport = (Work) -> Void

/// Reports the progress of a task after each item or each MiB.
package final class WorkMeter {
  private static let step: Int64 = 1 << 20

  private let report: WorkReport
  private var work: Work
  private var reported: Int64 = 0

  /// Counts bytes. Returns nil if `report` is nil.
  package init?(_ report: WorkReport?, _ kind: Work.Kind, _ what: String, of total: Int64?) {
    guard let report else { return nil }
    self.report = report
    work = Work(kind, what, done: 0, of: total)
  }

  /// Counts items. Returns nil, without calling `items`, if `report` is nil.
  package init?(_ report: WorkReport?, _ kind: Work.Kind, _ what: String, items: () throws -> Int?) rethrows {
    guard let report else { return nil }
    self.report = report
    work = Work(kind, what, done: 0, of: try items().map { Int64($0) }, unit: .items)
    report(work)
  }

  package func add(_ count: Int = 1) {
    work.done += Int64(count)
    guard work.unit == .items || work.done - reported >= WorkMeter.step else { return }
    reported = work.done
    report(work)
  }
}
