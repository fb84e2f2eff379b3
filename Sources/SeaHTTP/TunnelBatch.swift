import SeaContainer
import SeaSystem

/// Requests that go to the server in one of HTTP, and their answers, which are passed on in their order as they come.
///
/// When an answer breaks off, nobody knows which of the requests that were not answered were done. They are sent again, and
/// with those that would be answered otherwise then goes what tells the two apart: a file that is there already is ours if it
/// has our bytes, and one that cannot be moved was moved if it has the other name.
package final class TunnelBatch {
  private final class Part {
    let request: Wire.Request
    let body: [UInt8]
    /// Whether it may have been done before.
    var isDoubtful = false
    var isDone = false
    /// How many bytes of a file were promised, and passed on.
    var promised: Int64?
    var passed: Int64 = 0
    /// What was said of one that is doubtful.
    var verdict: Wire.Answer?

    init(_ request: Wire.Request, _ body: [UInt8]) { (self.request, self.body) = (request, body) }

    /// What is asked behind it, to tell what has come of it.
    var proof: Wire.Request? {
      guard isDoubtful else { return nil }
      switch request {
      case .put(let path, let size): return .get(path, offset: 0, count: size + 1)
      case .move(_, let other): return .get(other, offset: 0, count: 0)
      default: return nil
      }
    }
  }

  private struct Step {
    let part: Part
    let request: Wire.Request
    let isProof: Bool
  }

  private let greeting: Part
  private let greets: Bool
  private let parts: [Part]
  private let say: ([UInt8]) -> Void
  private let incoming = ByteQueue()
  private var steps: [Step] = []
  private var at = 0
  private var bytesLeft: Int64 = 0
  private var proof: [UInt8] = []
  /// Bytes were promised that cannot be had any more: nothing can be said behind them.
  package private(set) var isStuck = false

  /// - Parameters:
  ///   - greets: whether the answer to the greeting is passed on, too.
  ///   - say: passes on.
  package init(_ requests: [(request: Wire.Request, body: [UInt8])], greets: Bool, say: @escaping ([UInt8]) -> Void) {
    greeting = Part(.greet(version: Wire.version, words: []), [])
    parts = requests.map { Part($0.request, $0.body) }
    (self.greets, self.say) = (greets, say)
    greeting.isDone = !greets
  }

  private var open: [Part] { parts.filter { !$0.isDone } }
  package var isDone: Bool { greeting.isDone && parts.allSatisfy(\.isDone) }
  /// Whether the next that is said has to be bytes of a file.
  package var isInBytes: Bool { parts.first { !$0.isDone }.map { $0.promised ?? 0 > $0.passed } ?? false }

  /// What is not answered yet, in two halves; nil for a single one.
  package var halves: [[(request: Wire.Request, body: [UInt8])]]? {
    let open = open
    guard open.count > 1, open.allSatisfy({ !$0.isDoubtful && $0.promised == nil }) else { return nil }
    let middle = open.count / 2
    return [open[..<middle], open[middle...]].map { $0.map { ($0.request, $0.body) } }
  }

  /// Everything that is not answered yet, as it is sent.
  package func begin() -> [[UInt8]] {
    (at, bytesLeft, proof) = (0, 0, [])
    incoming.removeAll()
    steps = [Step(part: greeting, request: greeting.request, isProof: false)]
    for part in open {
      var request = part.request
      if case .get(let path, let offset, _) = request, let promised = part.promised {
        request = .get(path, offset: offset + part.passed, count: promised - part.passed)
      }
      steps.append(Step(part: part, request: request, isProof: false))
      if let proof = part.proof { steps.append(Step(part: part, request: proof, isProof: true)) }
    }
    var pieces: [[UInt8]] = []
    for step in steps {
      pieces.append(Array((step.request.line + "\n").utf8))
      if !step.isProof, !step.part.body.isEmpty { pieces.append(step.part.body) }
    }
    return pieces
  }

  /// Whatever is not answered may have been done.
  package func doubt() { for part in open { part.isDoubtful = true } }

  /// All that is not answered was not done.
  package func fail(_ fault: TunnelFault) {
    if isInBytes { isStuck = true }
    if isStuck { return }
    for part in [greeting] + parts where !part.isDone { finish(part, fault.answer) }
  }

  // MARK: What comes

  /// False for what is no answer to what was asked.
  package func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    incoming.append(bytes)
    while !incoming.isEmpty {
      guard at < steps.count, !isStuck else { return false }
      if bytesLeft > 0 {
        takeBytes()
        continue
      }
      guard let line = incoming.line(most: Wire.longestLine) else { return incoming.count <= Wire.longestLine }
      guard let answer = Wire.Answer(line), take(answer, steps[at]) else { return false }
    }
    return true
  }

  private func takeBytes() {
    let step = steps[at]
    let count = Int(min(bytesLeft, Int64(incoming.count)))
    let bytes = Array(incoming.waiting[..<count])
    incoming.removeFirst(count)
    bytesLeft -= Int64(count)
    if step.isProof {
      proof += bytes
    } else {
      step.part.passed += Int64(count)
      say(bytes)
    }
    if bytesLeft == 0 { step.isProof ? settle(step.part, hasProof: true) : end(step.part) }
  }

  private func take(_ answer: Wire.Answer, _ step: Step) -> Bool {
    switch (answer, step.request) {
    case (.wait, _): if !isInBytes { say(TunnelBatch.line(.wait)) }
    case (.greet, .greet):
      if !step.part.isDone { finish(step.part, answer) }
      at += 1
    case (.error(let code, let text), .greet):
      fail(TunnelFault(WireCode(rawValue: code) ?? .failed, text))
      at = steps.count
    case (.file, .list): say(TunnelBatch.line(answer))
    case (.ok(let count?), .get(_, _, let most)) where count <= most:
      if step.isProof {
        (proof, bytesLeft) = ([], count)
        if count == 0 { settle(step.part, hasProof: true) }
        return true
      }
      if let promised = step.part.promised {
        // What was there a moment ago is not there any more.
        isStuck = count != promised - step.part.passed
        if isStuck { return false }
      } else {
        step.part.promised = count
        say(TunnelBatch.line(answer))
      }
      bytesLeft = count
      if count == 0 { end(step.part) }
    case (.error, .get) where step.isProof: settle(step.part, hasProof: false)
    case (.error, .get) where step.part.promised != nil:
      isStuck = true
      return false
    case (.ok(nil), .put), (.ok(nil), .replace), (.ok(nil), .move), (.ok(nil), .delete), (.ok(nil), .flush),
      (.ok(nil), .list), (.error, _):
      if step.part.proof != nil { step.part.verdict = answer } else { finish(step.part, answer) }
      at += 1
    default: return false
    }
    return true
  }

  /// Says what has come of one that may have been done before.
  private func settle(_ part: Part, hasProof: Bool) {
    var answer = part.verdict ?? .ok(nil)
    if hasProof, case .error(let code, _) = answer {
      switch part.request {
      case .put where code == WireCode.exists.rawValue && proof == part.body: answer = .ok(nil)
      case .move where code == WireCode.notFound.rawValue: answer = .ok(nil)
      default: break
      }
    }
    finish(part, answer)
    proof = []
    at += 1
  }

  private func end(_ part: Part) {
    part.isDone = true
    at += 1
  }

  private func finish(_ part: Part, _ answer: Wire.Answer) {
    part.isDone = true
    say(TunnelBatch.line(answer))
  }

  static func line(_ answer: Wire.Answer) -> [UInt8] { Array((answer.line + "\n").utf8) }
}
