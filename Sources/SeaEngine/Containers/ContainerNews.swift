import SeaContainer
import SeaSystem

/// Listens at remote containers whose helpers report changes. Each container has one helper for that, in addition to
/// the one that exchanges changes.
package final class ContainerNews {
  private struct Listener {
    var helper: HelperNews?
    /// Helpers that cannot report changes are not asked again.
    var isDeaf = false
    /// The time of the next try, in monotonic nanoseconds.
    var next: Int64 = 0
    var pause: Int64 = 1
  }

  private static let longestPause: Int64 = 300
  private var listeners: [String: Listener] = [:]

  package init() {}

  deinit { for listener in listeners.values { listener.helper?.close() } }

  /// Starts to listen at containers that are new or were lost, and stops at all others.
  func listen(_ settings: [ContainerSetting], _ helpers: Helpers) {
    let places = settings.compactMap { HelperPlace($0.location) }
    let wanted = Set(places.map(\.location))
    for (location, listener) in listeners where !wanted.contains(location) {
      listener.helper?.close()
      listeners[location] = nil
    }
    for place in places {
      var listener = listeners[place.location] ?? Listener()
      guard listener.helper == nil, !listener.isDeaf, listener.next <= Clock.monotonic() else { continue }
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

  /// These become readable when there may be news.
  package var descriptors: [Int32] { listeners.values.flatMap { $0.helper?.descriptors ?? [] } }

  /// Whether every change in the container is reported.
  package func isTold(_ setting: ContainerSetting) -> Bool {
    listeners[setting.location]?.helper?.state == .listening
  }

  /// Returns whether something has, or may have, appeared that this instance has not written.
  package func take(without own: String) -> Bool {
    var hasNews = false
    for (location, var listener) in listeners {
      guard let helper = listener.helper else { continue }
      let news = helper.take()
      let ownFolder = "\(Layout.transactions)/\(own)"
      if news.isAnywhere || news.folders.contains(where: { $0 != ownFolder && !$0.hasPrefix(ownFolder + "/") }) {
        hasNews = true
      }
      switch helper.state {
      case .listening: listener.pause = 1
      case .beginning: break
      case .deaf: (listener.helper, listener.isDeaf) = (nil, true)
      case .gone:
        // Check for changes that were not reported, and start the helper again later.
        hasNews = true
        ContainerNews.postpone(&listener)
      }
      listeners[location] = listener
    }
    return hasNews
  }
}

extension Containers {
  /// Starts to listen at the remote containers among these.
  package func listen(to settings: [ContainerSetting], _ news: ContainerNews) {
    news.listen(settings, folder.settings.helpers)
  }
}
