import SeaEngine
import SeaWords

/// How far work has come, in words.
package struct ProgressText {
  let work: Work
  /// Units in a second, once that can be told.
  var rate: Double?

  package init(work: Work, rate: Double? = nil) {
    self.work = work
    self.rate = rate
  }

  /// The line of at most `width` cells: what does not fit is left out, the least important first.
  package func line(width: Int) -> String {
    let head = head
    // Nobody counts what has no end and no number.
    if work.total == nil, work.done == 0 { return TextWidth.cut(head, to: width) }
    var parts = [amount] + [percent, speed, left].compactMap { $0 }
    while parts.count > 1, TextWidth.of(ProgressText.joined(head, parts)) > width, !fits(cut: head, parts, width) {
      parts.removeLast()
    }
    let tail = TextWidth.of(ProgressText.joined("", parts))
    let room = max(width - tail, 0)
    let line = ProgressText.joined(room < TextWidth.of(head) ? TextWidth.cut(head, to: room) : head, parts)
    return TextWidth.cut(line, to: width)
  }

  private static let leastHead = 16

  private func fits(cut head: String, _ parts: [String], _ width: Int) -> Bool {
    TextWidth.of(ProgressText.joined("", parts)) + ProgressText.leastHead <= width
  }

  private static func joined(_ head: String, _ parts: [String]) -> String {
    "\(head): \(parts.joined(separator: "  "))"
  }

  private var head: String {
    let verb =
      switch work.kind {
      case .fetching: work.what.isEmpty ? "fetching" : "fetching from"
      case .handing: work.what.isEmpty ? "handing over" : "handing over to"
      default: work.kind.rawValue
      }
    return work.what.isEmpty ? verb : "\(verb) \(Escape.shown(work.what))"
  }

  private var amount: String {
    switch (work.unit, work.total) {
    case (.bytes, let total?): SizeText.of(work.done, outOf: max(total, work.done))
    case (.bytes, nil): SizeText.of(work.done)
    case (.items, let total?): "\(work.done) of \(max(total, work.done))"
    case (.items, nil): String(work.done)
    }
  }

  private var percent: String? {
    guard let total = work.total, total > 0 else { return nil }
    return "\(Int(Double(min(work.done, total)) / Double(total) * 100))%"
  }

  private var speed: String? {
    guard let rate, rate >= 1 else { return nil }
    return work.unit == .bytes ? "\(SizeText.of(Int64(rate)))/s" : "\(Int64(rate))/s"
  }

  private var left: String? {
    // The first of many may have waited for what is done once for all.
    guard let rate, rate > 0, let total = work.total, total > work.done, work.done > 1 else { return nil }
    let seconds = (Double(total - work.done) / rate).rounded(.up)
    guard seconds < 360_000 else { return nil }
    let all = Int(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let tail = "\(two(all % 60)) left"
    return all < 3600 ? "\(all / 60):\(tail)" : "\(all / 3600):\(two(all / 60 % 60)):\(tail)"
  }
}
