/** One bundle of what draws rows or the status bar, on one screen. */
export { AccountTree } from '../../src/features/accountView/accountTree';
export { AgentWatch } from '../../src/features/agentsView/agentWatch';
export { DocumentLenses } from '../../src/features/documents/documentLenses';
export { HostSetGroup } from '../../src/features/engines/hostSetGroup';
export { HistoryGroup } from '../../src/features/history/historyGroup';
export { MachineTree } from '../../src/features/hosting/machineTree';
export { InstanceTree } from '../../src/features/instances/instanceTree';
export { JobTree } from '../../src/features/jobs/jobTree';
export { PortRows } from '../../src/features/ports/portRows';
export { CheckNotes } from '../../src/features/readiness/checkNotes';
export { SshKeyTree } from '../../src/features/sshKeys/sshKeyTree';
export { register as showStatus } from '../../src/features/statusBar';
export { TemplateLists } from '../../src/features/templates/templateLists';
export { EndNotes } from '../../src/features/warnings/endNotes';
