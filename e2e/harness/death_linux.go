package harness

import "syscall"

func setParentDeathSignal(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
