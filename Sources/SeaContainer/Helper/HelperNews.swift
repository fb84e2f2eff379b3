import SeaSystem

/// A connection to a helper that only reports changes. The connection never blocks; its owner waits until its file
/// descriptors are ready.
package final class HelperNews {
  package enum State: Equatable, Sendable {
    case beginning
    case listening
    case deaf
    /// The helper ended or failed. A later attempt might succeed.
    case gone
  }

  package struct News: Sendable {
    package var isAnywhere = false
    package var folders: Set<String> = []

    package var isEmpty: Bool { !isAnywhere && folders.isEmpty }
  }

  private static let span = FolderNews.longest
  /// The maximum number of lines per answer, and the maximum number of pieces per call.
  private static let most = 10_000
  private static let grace: Int64 = 60

  private let conversation: Conversation
  private var hasGreeted = false
  private var lines = 0
  private var asked = Clock.monotonic()
  package private(set) var state = State.beginning

  package init(_ place: HelperPlace, _ helpers: Helpers) throws(ContainerError) {
    conversation = try helpers.conversation(place)
    conversation.send("\(Wire.Request.greet(version: Wire.version, words: []).line)\n")
    // The greeting is sent once data can be read, or immediately if there is enough buffer space.
    _ = poll()
  }

  package var descriptors: [Int32] { conversation.descriptors }

  package func close() {
    if state != .deaf { state = .gone }
    conversation.end(seconds: 1)
  }

  package func poll() -> News {
    var news = News()
    guard state == .beginning || state == .listening else { return news }
    for _ in 0..<HelperNews.most {
      guard let step = try? conversation.step(nanoseconds: 0) else { return end(.gone, news) }
      while let line = conversation.line(most: Wire.longestLine) {
        lines += 1
        let isEndless =
          lines > HelperNews.most || Clock.monotonic() - asked > (HelperNews.span + HelperNews.grace) * 1_000_000_000
        guard !isEndless, let answer = Wire.Answer(line), handle(answer, &news) else { return end(state, news) }
      }
      if conversation.available.count > Wire.longestLine || step == .closed { return end(.gone, news) }
      if step == .silent { break }
    }
    return news
  }

  private func end(_ state: State, _ news: News) -> News {
    self.state = state == .deaf ? .deaf : .gone
    conversation.end(seconds: 1)
    return news
  }

  /// Returns false if the helper is no longer useful.
  private func handle(_ answer: Wire.Answer, _ news: inout News) -> Bool {
    switch answer {
    case .greet(Wire.version, let words) where !hasGreeted:
      hasGreeted = true
      guard words.contains(Wire.await) else {
        state = .deaf
        return false
      }
      ask()
    case .wait where hasGreeted:
      // Changes made before this request or between two requests have not been reported.
      if state == .beginning { news.isAnywhere = true }
      state = .listening
    case .news(let folder) where state == .listening:
      if let folder { news.folders.insert(folder) } else { news.isAnywhere = true }
    case .ok(nil) where hasGreeted:
      state = .beginning
      ask()
    case .error(let code, _):
      if code == WireCode.unsupported.rawValue { state = .deaf }
      return false
    default: return false
    }
    return true
  }

  private func ask() {
    (lines, asked) = (0, Clock.monotonic())
    conversation.send("\(Wire.Request.await(HelperNews.span).line)\n")
  }
}
