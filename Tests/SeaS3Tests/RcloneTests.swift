import SeaS3
import Testing

@Suite struct RcloneTests {
  @Test(arguments: [
    ("rclone:disk:birds/team.sea", "disk:birds/team.sea"), ("rclone:My Drive:x", "My Drive:x"),
    ("rclone:a.b+c@d_e-f:/srv/a b", "a.b+c@d_e-f:/srv/a b"), ("rclone:é:ü", "é:ü"), ("rclone:d:a:b", "d:a:b"),
  ])
  func locationsAreParsed(text: String, place: String) { #expect(RcloneLocation(text)?.place == place) }

  /// A remote without a name could have a password in it; one that begins with a dash would be an option.
  @Test(arguments: [
    "rclone:", "rclone:disk", "rclone:disk:", "rclone:disk://", "rclone::sftp,pass=x:y", "rclone:-x:y", "rclone: x:y",
    "rclone:x :y", "rclone:a,b=c:d", "rclone:a:b\nc", "rclone:a:b\u{7F}", "s3:disk:x",
    "rclone:d:" + String(repeating: "x", count: 2048),
  ])
  func invalidLocationsAreRefused(text: String) { #expect(RcloneLocation(text) == nil) }

  @Test(arguments: [
    ("rclone:d:a b", #""sea=d:a b""#), (#"rclone:d:a"b"#, #""sea=d:a""b""#), (#"rclone:d:"""#, #""sea=d:""""""#),
  ])
  func upstreamIsQuoted(text: String, upstream: String) { #expect(RcloneLocation(text)?.upstream("sea") == upstream) }
}
