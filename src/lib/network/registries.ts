/**
 * The hosts from which package managers download: the preset `packages` of `sandbox.network`. Only hosts that the programs of each registry need to
 * install something. docs/safety.md lists them, and a test compares.
 *
 * Most of them also take uploads from whoever has an account there, so they are no protection against a command that wants to carry data away.
 */
export const registries = {
  npm: ["registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org"],
  PyPI: ["pypi.org", "files.pythonhosted.org"],
  crates: ["crates.io", "index.crates.io", "static.crates.io", "static.rust-lang.org"],
  Go: ["proxy.golang.org", "sum.golang.org", "go.dev", "dl.google.com"],
  RubyGems: ["rubygems.org", "index.rubygems.org"],
  Maven: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
  Debian: ["deb.debian.org", "security.debian.org", "archive.ubuntu.com", "security.ubuntu.com", "ports.ubuntu.com"],
  GitHub: [
    "github.com",
    "codeload.github.com",
    "raw.githubusercontent.com",
    "objects.githubusercontent.com",
    "release-assets.githubusercontent.com",
  ],
} as const satisfies Record<string, readonly string[]>;

export const packages = "packages";
const all: readonly string[] = Object.values(registries).flat();

/** The hosts and patterns that a list means, with the preset written out. */
export const expandHosts = (list: readonly string[]): string[] =>
  list.flatMap((entry) => (entry === packages ? all : [entry]));

/** What permission for this host is about: the preset if the host is in it, so that one answer is enough for all registries; else the host itself. */
export const subjectOf = (host: string): string => (all.includes(host) ? packages : host);
