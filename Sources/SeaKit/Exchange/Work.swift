/// How far a long piece of work has come.
package struct Work: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case reading, packing, verifying, unpacking, fetching, handing, adding, checking
  }

  package enum Unit: String, Sendable {
    case bytes, items
  }

  package var kind: Kind
  /// The file or the container that is worked on: what is fetched from, what is handed to. May be empty.
  package var what: String
  package var done: Int64
  /// Nil if nobody can say yet. What is done may come to be more: files grow.
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

/// Told of long work while it is done, about once for each MiB or block of it. It must be quick.
package typealias WorkReport = (Work) -> Void

/// Counts the items of a piece of work, and tells of each.
final class WorkCount {
  private let report: WorkReport
  private var work: Work

  /// Nil if nobody looks: then nobody has to find out how many there are.
  init?(_ report: WorkReport?, _ kind: Work.Kind, _ what: String, of total: () throws -> Int) rethrows {
    guard let report else { return nil }
    self.report = report
    work = Work(kind, what, done: 0, of: Int64(try total()), unit: .items)
    report(work)
  }

  func add() {
    work.done += 1
    report(work)
  }
}
