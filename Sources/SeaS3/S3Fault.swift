import SeaContainer

/// Why something was not done, as it is told to the other side: nothing in it is secret.
package struct S3Fault: Error, Equatable, Sendable {
  package let code: WireCode
  package let text: String

  package init(_ code: WireCode, _ text: String = "") { (self.code, self.text) = (code, text) }

  static let notFound = S3Fault(.notFound)
  static let exists = S3Fault(.exists)
}
