import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { draft7 } from '../../model/templates/templateSchema';
import { setUpField } from '../../model/workspace/setUpField';
import type { WorkspacePart } from '../../model/workspace/workspaceDiagnostics';
import {
  machinesField,
  parseWorkspaceFile,
  readRecipe,
  recipeFields,
  type OpenRecipe,
} from '../../model/workspace/workspaceFile';
import { findJobProblems } from './jobDiagnostics';
import { jobSection } from './jobFields';
import { findJobSecrets } from './jobSecretDiagnostics';

/** The jobs of the workspace file, as the checks of the document know them. */
export const jobsPart: WorkspacePart = {
  name: 'jobs',
  problems: (places) => [...findJobProblems(places), ...findJobSecrets(places)],
};

/** The one description of `.vscode/gpu-rental.json`; its JSON schema is generated from it. */
const workspaceFile = recipeFields
  .extend({ machines: machinesField, setUp: setUpField, jobs: jobSection })
  .meta({ title: 'GPU Rental workspace' });

/** Returns the JSON schema of the workspace file, by its name in the package. */
export function workspaceSchemas() {
  return {
    'workspaceFile.schema.json': draft7(workspaceFile, {
      additionalProperties: {},
      allowComments: true,
      allowTrailingCommas: true,
      defaultSnippets: [
        {
          label: 'GPU Rental workspace',
          description: 'A machine for this repository',
          body: {
            image: '${1:pytorch/pytorch:latest}',
            filters: { num_gpus: { eq: '^${2:1}' }, gpu_ram: { gte: '^${3:24000}' } },
            diskGb: '^${4:40}',
            maxPricePerHour: '^${5:0.5}',
            folder: '${6:/workspace}',
          },
        },
      ],
    }),
  };
}

const ofMachine: ReadonlySet<string> = new Set<keyof typeof recipeFields.shape>([
  'filters',
  'diskGb',
  'env',
  'ports',
  'onStart',
  'maxPricePerHour',
]);

/**
 * Returns the recipe of a file with jobs, for a job that names one of its machines or none; `undefined` if the file
 * describes no machine.
 */
export function recipeForJobs(source: string, machine?: string): OpenRecipe | undefined {
  if (machine !== undefined) {
    return parseWorkspaceFile(source, machine);
  }
  const places = new JsonPlaces(source);
  const names = places.keys().map(({ name }) => name);
  if (names.includes('template') || names.includes('image')) {
    return parseWorkspaceFile(source);
  }
  return names.some((name) => ofMachine.has(name)) ? readRecipe(places) : undefined;
}
