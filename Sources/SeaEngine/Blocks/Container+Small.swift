import SeaContainer

extension Container {
  /// The content of a small file; nil if it is not there, or is larger than any.
  func bounded(_ name: String, in folder: SmallFolder) throws -> [UInt8]? {
    do throws(ContainerError) { return try read(name, in: folder) } catch {
      if case .badFile(.tooLarge, _) = error { return nil }
      throw error
    }
  }

  /// Writes a small file in the place of whatever else has its name. There only its content can be right.
  func put(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws {
    do throws(ContainerError) { try write(name, bytes, in: folder) } catch {
      guard case .badFile = error else { throw error }
      try remove(name, in: folder)
      try write(name, bytes, in: folder)
    }
  }
}
