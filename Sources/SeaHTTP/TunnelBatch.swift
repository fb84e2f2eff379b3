import SeaContainer
import SeaSystem

/// Several requests that are sent in a single HTTP request. Their answers are passed on in order as they arrive.
///
/// If an HTTP response is interrupted, unanswered requests may or may not have been executed, so they are sent again.
/// If the answer could be different the second time, a proof request follows. A `put` has succeeded if the existing
/// file has the same bytes. A `move` has succeeded if the file with the new name exists.
package final class TunnelBatch {
  private final class Part {
    let request: Wire.Request
    let body: [UInt8]
    var isUnconfirmed = false
    var isDone = false
    /// The number of bytes that were announced to the client as the content of a file.
    var promised: Int64?
    var passed: Int64 = 0
    /// The answer to a doubtful request, which the answer to the proof request can correct.
    var verdict: Wire.Answer?

    init(_ request: Wire.Request, _ body: [UInt8]) { (self.request, self.body) = (request, body) }

    /// The additional request that shows whether a doubtful request was executed.
    var proof: Wire.Request? {
      guard isUnconfirmed else { return nil }
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
  /// Whether announced bytes are no longer available, so that nothing more can be answered.
  package private(set) var isStuck = false

  /// - Parameter greets: whether to pass on the answer to the greeting as well.
  package init(_ requests: [(request: Wire.Request, body: [UInt8])], greets: Bool, say: @escaping ([UInt8]) -> Void) {
    greeting = Part(.greet(version: Wire.version, words: []), [])
    parts = requests.map { Part($0.request, $0.body) }
    (self.greets, self.say) = (greets, say)
    greeting.isDone = !greets
  }

  private var open: [Part] { parts.filter { !$0.isDone } }
  package var isDone: Bool { greeting.isDone && parts.allSatisfy(\.isDone) }
  /// Whether the next output must be the announced bytes of a file.
  package var isInBytes: Bool { parts.first { !$0.isDone }.map { $0.promised ?? 0 > $0.passed } ?? false }

  /// The unanswered requests, split in half; nil if there is only one request or if any has already been sent.
  package var halves: [[(request: Wire.Request, body: [UInt8])]]? {
    let open = open
    guard open.count > 1, open.allSatisfy({ !$0.isUnconfirmed && $0.promised == nil }) else { return nil }
    let middle = open.count / 2
    return [open[..<middle], open[middle...]].map { $0.map { ($0.request, $0.body) } }
  }

  /// Starts again with all unanswered requests, and returns the bytes to send.
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

  package func markUnconfirmed() { for part in open { part.isUnconfirmed = true } }

  package func fail(_ fault: TunnelFault) {
    if isInBytes { isStuck = true }
    if isStuck { return }
    for part in [greeting] + parts where !part.isDone { finish(part, fault.answer) }
  }

  // MARK: Answers

  /// Processes bytes of the response; returns false if they are not answers to the requests.
  package func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
    incoming.append(bytes)
    while !incoming.isEmpty {
      guard at < steps.count, !isStuck else { return false }
      if bytesLeft > 0 {
        consumeBytes()
        continue
      }
      guard let line = incoming.line(most: Wire.longestLine) else { return incoming.count <= Wire.longestLine }
      guard let answer = Wire.Answer(line), handle(answer, steps[at]) else { return false }
    }
    return true
  }

  private func consumeBytes() {
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

  private func handle(_ answer: Wire.Answer, _ step: Step) -> Bool {
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
        // The file has changed since its size was announced.
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

  /// Determines the answer to a request that may have been executed before.
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
