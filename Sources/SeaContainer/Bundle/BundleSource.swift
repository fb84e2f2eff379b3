import SeaSystem

/// The source of a bundle.
package enum BundleSource {
  /// A file or volumes; for volumes, `path` is the name without a number, or with any number.
  case file(path: String)
  /// These files in sequence.
  case files(paths: [String])
  /// A stream, from its current position on.
  case stream(File)
}
