/// Why an instance may not write.
package enum Refusal: String, Sendable {
  case readOnly, revoked, notAdmin
}
