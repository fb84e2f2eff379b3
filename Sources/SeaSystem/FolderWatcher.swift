import Glibc

/// A thread that reports changes to a file in a folder.
///
/// The thread sleeps until the kernel reports an event. Events that arrive together are reported as one change.
package final class FolderWatcher: @unchecked Sendable {
  private let stop: File

  /// - Parameters:
  ///   - name: the file name to watch in the folder.
  ///   - ring: called on that thread when the watch becomes active, and again after each change.
  package init(_ folder: String, _ name: String, _ ring: @escaping @Sendable () -> Void) throws(SystemError) {
    let (reading, writing) = try Launch.pipe(folder)
    stop = writing
    let watch = try FileWatch(stops: false)
    guard watch.watch(only: [folder]).isEmpty else {
      throw SystemError(call: "inotify_add_watch", errno: ENOENT, path: folder)
    }
    let listener = Listener(watch: watch, stop: reading, name: name, ring: ring)
    let lane = try SerialThread()
    lane.run { listener.listen() }
  }

  private struct Listener: @unchecked Sendable {
    let watch: FileWatch
    let stop: File
    let name: String
    let ring: @Sendable () -> Void

    func listen() {
      ring()
      while let wake = try? watch.wait(nanoseconds: nil, others: [stop.descriptor]), !wake.isAddressed {
        if wake.isOverfull || wake.changes.contains(where: { $0.name == name || $0.name.isEmpty }) { ring() }
      }
    }
  }
}
