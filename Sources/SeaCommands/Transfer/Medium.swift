import SeaSystem

/// What a path lies on.
enum Medium {
  /// Where the file system of a path is mounted; nil if it is that of another path, or the root.
  static func mounted(at path: String, otherThan other: String) -> String? {
    guard var here = try? Path.real(path), let device = try? Path.statusFollowing(here)?.device,
      let own = try? Path.statusFollowing(other)?.device, device != own
    else { return nil }
    while here != "/" {
      let above = Path.parent(here)
      guard let next = try? Path.statusFollowing(above)?.device else { return nil }
      if next != device { return here }
      here = above
    }
    return nil
  }
}
