import SeaSystem

package enum BundleSource {
  /// A single file, or volumes. For volumes, `path` is the name of any volume, or the name without a volume number.
  case file(path: String)
  case files(paths: [String])
  case stream(File)
}
