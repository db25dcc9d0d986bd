//! Which mount holds a folder, and how it is mounted: a line of mountinfo (proc_pid_mountinfo(5)).

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mount<'a> {
    pub at: &'a str,
    /// Those of this place, …
    pub options: &'a str,
    pub kind: &'a str,
    pub device: &'a str,
    /// … and those of the file system, wherever it is mounted.
    pub system_options: &'a str,
}

pub fn all(mountinfo: &str) -> impl Iterator<Item = Mount<'_>> {
    mountinfo.lines().filter_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let (mut place, mut system) = (place.split(' ').skip(4), system.split(' '));
        Some(Mount {
            at: place.next()?,
            options: place.next()?,
            kind: system.next()?,
            device: system.next()?,
            system_options: system.next().unwrap_or_default(),
        })
    })
}

pub fn holding<'a>(mountinfo: &'a str, folder: &Path) -> Option<Mount<'a>> {
    // The last of the longest: a later mount hides an earlier one.
    all(mountinfo).filter(|mount| folder.starts_with(mount.at)).max_by_key(|mount| mount.at.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_that_holds_a_folder_is_the_longest() {
        let text = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw,errors=remount-ro\n22 21 0:20 / /proc rw - proc proc rw\n\
                    30 21 0:31 / /data rw,sync shared:5 - xfs /dev/vdb rw,noquota\n";
        let told = |folder: &str| {
            let mount = holding(text, Path::new(folder)).unwrap();
            [mount.kind, mount.device, mount.options, mount.system_options]
        };
        assert_eq!(told("/data/assay"), ["xfs", "/dev/vdb", "rw,sync", "rw,noquota"]);
        assert_eq!(told("/database"), ["ext4", "/dev/vda", "rw,relatime", "rw,errors=remount-ro"]);
        assert_eq!(holding("", Path::new("/data")), None);
    }
}
