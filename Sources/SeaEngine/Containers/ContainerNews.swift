import SeaContainer
import SeaSystem

/// Listens for changes in remote containers whose helpers can report them. For this purpose, each container gets a
/// second helper process in addition to the one that transfers data.
package final class ContainerNews {
  private struct Listener {
    var helper: HelperNews?
    /// Whether the helper cannot report changes. Such a helper is not asked again.
    var cannotReport = false
    /// The time of the next attempt, in monotonic nanoseconds.
    var next: Int64 = 0
    var pause: Int64 = 1
  }

  private static let longestPause: Int64 = 300
  private var listeners: [String: Listener] = [:]

  package init() {}

  deinit { for listener in listeners.values { listener.helper?.close() } }

  /// Starts listening to new containers, and to those whose connection was lost. Stops listening to containers that are
  /// not in `settings`.
  func listen(_ settings: [ContainerSetting], _ helpers: Helpers) {
    let places = settings.compactMap { HelperPlace($0.location) }
    let wanted = Set(places.map(\.location))
    for (location, listener) in listeners where !wanted.contains(location) {
      listener.helper?.close()
      listeners[location] = nil
    }
    for place in places {
      var listener = listeners[place.location] ?? Listener()
      guard listener.helper == nil, !listener.cannotReport, listener.next <= Clock.monotonic() else { continue }
      listener.helper = try? HelperNews(place, helpers)
      if listener.helper == nil { ContainerNews.postpone(&listener) }
      listeners[place.location] = listener
    }
  }

  private static func postpone(_ listener: inout Listener) {
    listener.helper = nil
    listener.next = Clock.monotonic() + listener.pause * 1_000_000_000
    listener.pause = min(listener.pause * 2, longestPause)
  }

  /// File descriptors that become readable when changes may have arrived.
  package var descriptors: [Int32] { listeners.values.flatMap { $0.helper?.descriptors ?? [] } }

  /// Whether the helper currently reports every change in the container.
  package func isListening(_ setting: ContainerSetting) -> Bool {
    listeners[setting.location]?.helper?.state == .listening
  }

  /// Whether changes from other instances have arrived, or may have arrived, since the last call.
  package func poll(ignoring own: String) -> Bool {
    var hasNews = false
    for (location, var listener) in listeners {
      guard let helper = listener.helper else { continue }
      let news = helper.poll()
      let ownFolder = "\(Layout.transactions)/\(own)"
      if news.isAnywhere || news.folders.contains(where: { $0 != ownFolder && !$0.hasPrefix(ownFolder + "/") }) {
        hasNews = true
      }
      switch helper.state {
      case .listening: listener.pause = 1
      case .beginning: break
      case .deaf: (listener.helper, listener.cannotReport) = (nil, true)
      case .gone:
        hasNews = true
        ContainerNews.postpone(&listener)
      }
      listeners[location] = listener
    }
    return hasNews
  }
}

extension Containers {
  package func listen(to settings: [ContainerSetting], _ news: ContainerNews) {
    news.listen(settings, folder.settings.helpers)
  }
}
