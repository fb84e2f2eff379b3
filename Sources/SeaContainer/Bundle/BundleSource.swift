import SeaSystem

/// Where a bundle is read from.
package enum BundleSource {
  /// A file, or volumes: `path` is then the name without number, or with the number of any of them.
  case file(path: String)
  /// These files, one after another.
  case files(paths: [String])
  /// Bytes as they come, from the position on.
  case stream(File)
}
