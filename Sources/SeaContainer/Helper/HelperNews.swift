import SeaSystem

/// A helper that is asked for nothing but what appears in its container. It never waits: whoever has it waits for its descriptors.
package final class HelperNews {
  package enum State: Equatable, Sendable {
    case beginning
    /// Nothing that appears is missed.
    case listening
    /// It does not tell what appears.
    case deaf
    /// It has ended or failed: another one may do better later.
    case gone
  }

  /// What appeared: at any place, or in these folders.
  package struct News: Sendable {
    package var isAnywhere = false
    package var folders: Set<String> = []

    package var isEmpty: Bool { !isAnywhere && folders.isEmpty }
  }

  private static let span = FolderNews.longest
  /// So many lines are taken in of one answer, and so many pieces at once.
  private static let most = 10_000
  /// An answer may end so much later than it was asked to: seconds.
  private static let grace: Int64 = 60

  private let conversation: Conversation
  private var hasGreeted = false
  private var lines = 0
  private var asked = Clock.monotonic()
  package private(set) var state = State.beginning

  package init(_ place: HelperPlace, _ helpers: Helpers) throws(ContainerError) {
    conversation = try helpers.conversation(place)
    conversation.send("\(Wire.Request.greet(version: Wire.version, words: []).line)\n")
    // It is sent when there is something to read, or at once if there is room.
    _ = take()
  }

  package var descriptors: [Int32] { conversation.descriptors }

  package func close() {
    if state != .deaf { state = .gone }
    conversation.end(seconds: 1)
  }

  /// What has come since.
  package func take() -> News {
    var news = News()
    guard state == .beginning || state == .listening else { return news }
    for _ in 0..<HelperNews.most {
      guard let step = try? conversation.step(nanoseconds: 0) else { return end(.gone, news) }
      while let line = conversation.line(most: Wire.longestLine) {
        lines += 1
        let isEndless =
          lines > HelperNews.most || Clock.monotonic() - asked > (HelperNews.span + HelperNews.grace) * 1_000_000_000
        guard !isEndless, let answer = Wire.Answer(line), take(answer, &news) else { return end(state, news) }
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

  /// False if it is of no more use.
  private func take(_ answer: Wire.Answer, _ news: inout News) -> Bool {
    switch answer {
    case .greet(Wire.version, let words) where !hasGreeted:
      hasGreeted = true
      guard words.contains(FolderServer.await) else {
        state = .deaf
        return false
      }
      ask()
    case .wait where hasGreeted:
      // What came before it was asked, or between two times, was told by nobody.
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
