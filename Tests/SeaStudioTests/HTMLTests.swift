import Testing
import SeaStudio
@Test func one() { #expect(studio == 1) }
