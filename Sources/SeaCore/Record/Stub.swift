package enum Name { package static func check(_ b: UnsafeBufferPointer<UInt8>) throws(CoreError) {} }
extension CBORCursor {
  package mutating func skipBody() throws(CoreError) -> Bool { try skipValue(); return false }
  package mutating func skipValue() throws(CoreError) {
    let h = try head()
    switch h.major {
    case 2, 3: _ = try run(h.value)
    case 4: for _ in 0..<h.value { try skipValue() }
    case 5: for _ in 0..<h.value { try skipValue(); try skipValue() }
    case 6: try skipValue()
    default: break
    }
  }
}
package enum BodyReferences { package static func forEach(in b: UnsafeBufferPointer<UInt8>, _ f: (UnsafeBufferPointer<UInt8>) -> Void) {}
 package static func any(in b: UnsafeBufferPointer<UInt8>) -> Bool {false} }
