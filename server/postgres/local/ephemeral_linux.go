package local

import "syscall"

// Filesystem numbers from the kernel's include/uapi/linux/magic.h, and aufs' own header.
var ephemeralFilesystems = map[uint32]string{
	0x794c7630: "overlay (a container's own layer)",
	0x61756673: "aufs (a container's own layer)",
	0x01021994: "tmpfs (memory)",
	0x858458f6: "ramfs (memory)",
}

// ephemeralKind names the filesystem of dir if it does not last, or returns "".
func ephemeralKind(dir string) (string, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return "", err
	}
	// The field's width differs between architectures; the magic numbers have 32 bits.
	return ephemeralFilesystems[uint32(stat.Type)], nil
}
