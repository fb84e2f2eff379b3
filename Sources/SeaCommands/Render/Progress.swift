import SeaEngine

/// Shows the progress of long operations on standard error.
///
/// Short operations show nothing. On a terminal, progress is one line that is redrawn at most five times a second and
/// erased before other output. Elsewhere, one line or event is printed per second.
package final class Progress {
  package enum Style {
    /// A line that is redrawn. `cells` returns the available width, or nil while another process owns the terminal.
    case changing(cells: () -> Int?)
    case lines
    case events
  }

  private let style: Style
  private let delay: Int64
  private let clock: () -> Int64
  /// Called with true before the line appears, and with false after it has been erased.
  private let guards: (Bool) -> Void
  private let write: ([UInt8]) -> Void

  private var due: Int64?
  private var last: Work?
  private var isCurrent = true
  private var isShown = false
  private var hasSpoken = false
  /// How much work was done by several points in the last few seconds.
  private var samples: [(time: Int64, done: Int64)] = []
  private static let second: Int64 = 1_000_000_000

  /// - Parameters:
  ///   - delay: the time from the first report to the first output, in nanoseconds.
  ///   - clock: returns monotonic nanoseconds.
  package init(
    _ style: Style, delay: Int64, clock: @escaping () -> Int64, guards: @escaping (Bool) -> Void = { _ in },
    write: @escaping ([UInt8]) -> Void
  ) {
    self.style = style
    self.delay = delay
    self.clock = clock
    self.guards = guards
    self.write = write
  }

  package func show(_ work: Work) {
    let now = clock()
    if due == nil { due = now + delay }
    let goesOn = last.map { $0.goes(on: work) } ?? false
    last = work
    isCurrent = false
    if !goesOn { samples = [(now, work.done)] }
    guard now >= due! else { return }
    draw(work, now)
  }

  package func wipe() {
    guard isShown else { return }
    isShown = false
    write(Progress.clear)
    guards(false)
  }

  package func end() {
    if case .changing = style { return wipe() }
    if hasSpoken, !isCurrent, let last { draw(last, clock()) }
  }

  private static let clear: [UInt8] = [0x0D, 0x1B, 0x5B, 0x4B]

  private func draw(_ work: Work, _ now: Int64) {
    let rate = rate(work, now)
    isCurrent = true
    switch style {
    case .changing(let cells):
      due = now + Progress.second / 5
      guard let cells = cells() else { return }
      if !isShown { guards(true) }
      isShown = true
      // Leave the last column empty, because some terminals wrap after it.
      write(Array("\r\(ProgressText(work: work, rate: rate).line(width: cells - 1))\u{1B}[K".utf8))
    case .lines:
      due = now + Progress.second
      hasSpoken = true
      write(Array("\(ProgressText(work: work, rate: rate).line(width: 200))\n".utf8))
    case .events:
      due = now + Progress.second
      hasSpoken = true
      write(Progress.event(work).line)
    }
  }

  private static func event(_ work: Work) -> Item {
    Item(
      event: "progress",
      [
        "kind": .text(work.kind.rawValue), "what": .text(work.what), "done": .integer(work.done),
        "total": .integer(work.total), "unit": .text(work.unit.rawValue),
      ])
  }

  private func rate(_ work: Work, _ now: Int64) -> Double? {
    if samples.last?.time != now { samples.append((now, work.done)) }
    while samples.count > 2, now - samples[1].time >= 5 * Progress.second { samples.removeFirst() }
    let first = samples[0]
    guard now - first.time >= Progress.second / 2, work.done > first.done else { return nil }
    return Double(work.done - first.done) / (Double(now - first.time) / Double(Progress.second))
  }
}

extension Work {
  fileprivate func goes(on next: Work) -> Bool {
    kind == next.kind && unit == next.unit && done <= next.done && what.utf8.elementsEqual(next.what.utf8)
  }
}

package struct ProgressText {
  let work: Work
  var rate: Double?

  package init(work: Work, rate: Double? = nil) {
    self.work = work
    self.rate = rate
  }

  package func line(width: Int) -> String {
    let head = head
    // Without a total and without any work done, there are no numbers to show.
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
      case .handing: work.what.isEmpty ? "sending" : "sending to"
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
    // The first item may include start-up time, so one item is not enough for an estimate.
    guard let rate, rate > 0, let total = work.total, total > work.done, work.done > 1 else { return nil }
    let seconds = (Double(total - work.done) / rate).rounded(.up)
    guard seconds < 360_000 else { return nil }
    let all = Int(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let tail = "\(two(all % 60)) left"
    return all < 3600 ? "\(all / 60):\(tail)" : "\(all / 3600):\(two(all / 60 % 60)):\(tail)"
  }
}
