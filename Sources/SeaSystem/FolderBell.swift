import Glibc

/// A thread that is told by the kernel when something is written in a folder, and tells on.
///
/// It sleeps until then: nothing is polled. What happens between two looks is told once.
package final class FolderBell: @unchecked Sendable {
  /// It is only let go: then the thread ends.
  private let stop: File

  /// - Parameters:
  ///   - name: of what in the folder it is told.
  ///   - ring: called on the thread each time, and once at the beginning, when everything that comes will be told.
  package init(_ folder: String, _ name: String, _ ring: @escaping @Sendable () -> Void) throws(SystemError) {
    let (reading, writing) = try Launch.pipe(folder)
    stop = writing
    let watch = try FileWatch(stops: false)
    guard watch.look(at: [folder]).isEmpty else {
      throw SystemError(call: "inotify_add_watch", errno: ENOENT, path: folder)
    }
    let listener = Listener(watch: watch, stop: reading, name: name, ring: ring)
    let lane = try Lane()
    lane.run { listener.listen() }
  }

  /// Everything of it is used on the thread alone.
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
