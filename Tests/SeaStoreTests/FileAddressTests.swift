import SeaStore
import Testing

@Suite struct FileAddressTests {
  /// A path is one in whatever letters, and nothing in it is a parameter.
  @Test func pathIsEscapedAsFileURI() {
    #expect(FileAddress.text("/a/b.db") == "file:/a/b.db")
    #expect(FileAddress.text("/ü?mode=rw#x%20") == "file:/%c3%bc%3fmode%3drw%23x%2520")
  }
}
