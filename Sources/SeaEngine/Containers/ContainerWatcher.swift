import SeaContainer
import SeaCore
import SeaSystem

/// Reports when other instances may have written to containers: to folders of this device, as far as the kernel can
/// watch them, and to containers whose helpers report changes. A watch can fail, so sync at regular intervals as well.
package final class ContainerWatcher: Sendable {
  private let news: Guarded<(news: ContainerNews, own: String)>
  private let thread: WatchThread

  /// - Parameter ring: called on a thread of the watcher after each change.
  package init(_ ring: @escaping @Sendable () -> Void) throws {
    let news = Guarded((news: ContainerNews(), own: ""))
    self.news = news
    thread = try WatchThread(others: { news.with { $0.news.descriptors } }) { wake in
      let hasNews = news.with { $0.news.poll(ignoring: $0.own) }
      if hasNews || wake.isOverfull || !wake.changes.isEmpty { ring() }
    }
  }

  /// Watches these containers and no others. Call this function before each sync, so that no change is missed: the sync
  /// reads earlier changes, and the watch reports later ones.
  package func follow(_ settings: [ContainerSetting], _ containers: Containers) {
    _ = thread.watch.watch(only: settings.flatMap { containers.watched($0).folders })
    news.with {
      $0.own = containers.folder.instance.description
      containers.listen(to: settings, $0.news)
    }
    // The thread must also wait for helpers that have just started.
    thread.watch.interrupt()
  }
}
