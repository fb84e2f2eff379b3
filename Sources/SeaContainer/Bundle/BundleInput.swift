import SeaSystem

/// The raw bytes of a bundle, read from a file, successive volumes, or a stream.
final class BundleInput {
  private let paths: [String]
  private let areVolumes: Bool
  private let isDirect: Bool
  private var number = 0
  private var file: File?
  private var fileSizes: [Int64] = []
  private(set) var position: Int64 = 0

  /// - Parameter direct: whether to bypass the cache if possible. Buffers must then be aligned to 4096 bytes.
  init(_ source: BundleSource, direct: Bool = false) throws(BundleError) {
    isDirect = direct
    switch source {
    case .stream(let stream):
      (paths, areVolumes) = ([], false)
      file = stream
    case .files(let files):
      (paths, areVolumes) = (files, false)
      try open()
    case .file(let path):
      (paths, areVolumes) = try BundleVolumes.paths(of: path)
      try open()
    }
  }

  private func open() throws(BundleError) {
    try bundleSystem { () throws(SystemError) in
      let path = paths[number]
      var opened: File?
      if isDirect { opened = try? File(path, [.read, .nonBlocking, .direct]) }
      if opened == nil { opened = try File(path, [.read, .nonBlocking]) }
      guard let opened else { return }
      let status = try opened.status()
      guard status.kind == .file else { throw SystemError.wrongKind(path, status.kind) }
      fileSizes.append(status.size)
      file = opened
    }
    // All volumes except the last must have the same size as the first.
    guard areVolumes, let first = fileSizes.first, let last = fileSizes.last else { return }
    if last > first { throw .incompleteVolume(Path.name(paths[0])) }
    if last < first, fileSizes.count < paths.count { throw .incompleteVolume(Path.name(paths[number])) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) -> Int {
    while true {
      guard let file else { return 0 }
      let count = try some(of: file, into: buffer)
      position += Int64(count)
      if count > 0 { return count }
      number += 1
      self.file = nil
      guard number < paths.count else { return 0 }
      try open()
    }
  }

  private func some(of file: File, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) -> Int {
    do throws(SystemError) {
      return try file.readSome(into: buffer)
    } catch {
      // Some file systems allow opening a file for direct reading, but then refuse the read.
      guard isDirect, error.isInvalid else { throw .system(error) }
    }
    return try bundleSystem { () throws(SystemError) in
      try file.leaveDirect()
      return try file.readSome(into: buffer)
    }
  }

  /// The error for volumes that end prematurely, because one is missing or the last is incomplete; nil if there are no
  /// volumes.
  var early: BundleError? {
    guard areVolumes, fileSizes.count == paths.count, let parts = BundleVolumes.parts(Path.name(paths[0])) else {
      return nil
    }
    let last = BundleVolumes.name(parts.base, paths.count)
    guard fileSizes.first == fileSizes.last else { return .incompleteVolume(last) }
    return .missingVolume(BundleVolumes.name(parts.base, paths.count + 1))
  }
}
