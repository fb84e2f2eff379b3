import SeaSystem

package enum BundleSource {
  /// A file or volumes. For volumes, `path` is the name without a number, or with any number.
  case file(path: String)
  case files(paths: [String])
  /// A stream, from its current position on.
  case stream(File)
}
