import SeaContainer

extension Container {
  /// Returns the content of a small file; nil if the file does not exist or exceeds the limit.
  func bounded(_ name: String, in folder: SmallFolder) throws -> [UInt8]? {
    do throws(ContainerError) { return try read(name, in: folder) } catch {
      if case .badFile(.tooLarge, _) = error { return nil }
      throw error
    }
  }

  /// Writes a small file and replaces any existing file with this name. The name determines the correct content.
  func put(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws {
    do throws(ContainerError) { try write(name, bytes, in: folder) } catch {
      guard case .badFile = error else { throw error }
      try remove(name, in: folder)
      try write(name, bytes, in: folder)
    }
  }
}
