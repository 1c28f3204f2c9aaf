import { jobsPart } from '../../src/jobs/model/jobsInFile';
import { findWorkspaceProblems } from '../../src/model/workspace/workspaceDiagnostics';

/** The findings in a workspace file, with those of its jobs. */
export const findInFile = (source: string) => findWorkspaceProblems(source, [jobsPart]);
