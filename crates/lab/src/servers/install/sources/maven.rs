//! Maven coordinates, resolved by `mvn` as the user has set it up. Its local repository is a private one, so that the
//! user's own neither grows nor decides what is measured.

use crate::servers::catalogue::entry::Entry;
use crate::servers::install::client::{Client, Download, words};
use crate::servers::process::folders::{Folders, private_folder};
use crate::trouble::Trouble;
use std::path::{Path, PathBuf};

/// The file as it lies in the private repository.
pub fn fetch(coordinates: &str, entry: &Entry, folders: &Folders, client: &mut Client) -> Result<PathBuf, Trouble> {
    let repository = folders.home.join("clients/maven");
    private_folder(&repository)?;
    let file = place(&repository, coordinates)?;
    let into = file.parent().expect("it lies in the repository");
    let command = words(["mvn", "--batch-mode", "-Dstyle.color=never", "dependency:get", "-Dtransitive=false"]);
    let more = [format!("-Dmaven.repo.local={}", repository.display()), format!("-Dartifact={coordinates}")];
    let command: Vec<_> = command.into_iter().chain(more).collect();
    client.run(&command, &Download { what: &entry.name, into, of: entry.download })?;
    Ok(file)
}

/// `group:artifact:version[:extension[:classifier]]` as a path in a repository.
fn place(repository: &Path, coordinates: &str) -> Result<PathBuf, Trouble> {
    let parts: Vec<_> = coordinates.split(':').collect();
    let (group, artifact, version, extension, classifier) = match parts[..] {
        [g, a, v] => (g, a, v, "jar", None),
        [g, a, v, e] => (g, a, v, e, None),
        [g, a, v, e, c] => (g, a, v, e, Some(c)),
        _ => {
            return Err(Trouble::new(format!("`{coordinates}` are no coordinates"))
                .mend("write group:artifact:version[:extension[:classifier]] in servers.toml"));
        }
    };
    let classifier = classifier.map_or(String::new(), |c| format!("-{c}"));
    let folder = repository.join(group.replace('.', "/")).join(artifact).join(version);
    Ok(folder.join(format!("{artifact}-{version}{classifier}.{extension}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_a_place_in_a_repository() {
        let of = |c| place(Path::new("/r"), c).map(|p| p.to_string_lossy().into_owned());
        assert_eq!(of("io.airlift:server:5.7.22-1").unwrap(), "/r/io/airlift/server/5.7.22-1/server-5.7.22-1.jar");
        assert_eq!(of("com.jcabi:dist:5.6:zip:linux").unwrap(), "/r/com/jcabi/dist/5.6/dist-5.6-linux.zip");
        assert!(of("server-5.7").unwrap_err().to_string().contains("are no coordinates"));
    }
}
