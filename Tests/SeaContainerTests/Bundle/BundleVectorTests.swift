import SeaContainer
import SeaCore
import SeaTestSupport
import Testing

@Suite struct BundleVectorTests {
  private func code(_ fault: BundleError) -> String {
    switch fault {
    case .notABundle: "not-a-bundle"
    case .incompatible: "incompatible"
    case .truncated: "truncated"
    case .trailing: "trailing"
    case .badHeader: "bad-header"
    case .badManifest: "bad-manifest"
    case .unexpected: "unexpected"
    case .outOfOrder: "out-of-order"
    case .missing: "missing"
    case .wrongSize: "wrong-size"
    case .wrongDigest: "wrong-digest"
    case .tooLarge: "too-large"
    case .compression: "bad-compression"
    default: "\(fault)"
    }
  }

  @Test func vectorFilesAreFound() { #expect(Vector.all("bundle").count > 150) }

  @Test(arguments: Vector.all("bundle")) func vectorsGiveExpectedResult(_ vector: Vector) throws {
    if let fault = bundleFault(vector.bytes) {
      #expect(code(fault) == vector["expect"])
    } else {
      #expect(vector["expect"] == "ok")
      let read = try readBundle(vector.bytes)
      #expect(read.digest.description == vector["digest"])
      #expect(String(read.files.count) == vector["members"])
    }
  }
}
