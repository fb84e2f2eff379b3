/// Counts bytes and tells of them about once for each MiB.
package final class WorkMeter {
  private static let step: Int64 = 1 << 20

  private var work: Work
  private var told: Int64 = 0
  private let report: WorkReport

  /// Nil if nobody looks.
  init?(_ report: WorkReport?, _ kind: Work.Kind, _ what: String, of total: Int64?) {
    guard let report else { return nil }
    self.report = report
    work = Work(kind, what, done: 0, of: total)
  }

  func add(_ count: Int) {
    work.done += Int64(count)
    guard work.done - told >= WorkMeter.step else { return }
    told = work.done
    report(work)
  }
}
