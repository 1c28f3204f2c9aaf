import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { applyChanges, JsonPlaces } from '../../src/model/documents/jsonPlaces';
import type { DocumentFields } from '../../src/model/templates/templateDocument';
import { useClients } from './apiClient';
import { useSimulators, type TestSimulator } from './startSimulator';
import { TemplateComputer } from './templateWindow';

const route = '/api/v0/template/';

/** A computer with one template at a simulated service. */
export interface TemplateScene {
  readonly simulator: TestSimulator;
  readonly computer: TemplateComputer;
  readonly id: number;
  /** The template as the service has it. */
  record(): Promise<Record<string, unknown>>;
  /** Another user's edit, through the service. */
  editElsewhere(changes: Record<string, unknown>): Promise<void>;
  /** Everything that the windows of the computer wrote to disk. */
  onDisk(): string;
}

const usualFields = { name: 'Mine', image: 'a/b:1', desc: 'old', env: '-e A=1 -e B=2', private: true };

/** A scene for each test: `scene()` is the one of the running test. */
export function useTemplateScene(fields: Record<string, unknown> = usualFields): () => TemplateScene {
  const simulators = useSimulators();
  const clients = useClients();
  let scene: TemplateScene | undefined;

  beforeEach(async () => {
    const simulator = await simulators.start({ seed: 1 });
    const computer = new TemplateComputer(() => clients.connect(simulator).client);
    const { json } = await simulator.call('POST', route, {
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
      ...fields,
    });
    const { id } = (json as { template: { id: number } }).template;
    const record = async () => {
      const query = encodeURIComponent(JSON.stringify({ id: { eq: id } }));
      const answer = await simulator.call('GET', `${route}?select_filters=${query}`);
      return (answer.json as { templates: Record<string, unknown>[] }).templates[0] ?? {};
    };
    const editElsewhere = async (changes: Record<string, unknown>) => {
      const body = { hash_id: (await record())['hash_id'], ...changes };
      assert.equal((await simulator.call('PUT', route, body)).status, 200);
    };
    const onDisk = () =>
      readdirSync(computer.storageDir)
        .map((name) => readFileSync(path.join(computer.storageDir, name), 'utf8'))
        .join('\n');
    scene = { simulator, computer, id, record, editElsewhere, onDisk };
  });

  afterEach(async () => {
    await scene?.computer.dispose();
    scene = undefined;
  });

  return () => {
    assert.ok(scene, 'the scene is there in tests');
    return scene;
  };
}

/** The text of a document with some fields changed and the rest as it was. */
export function changeText(source: string, fields: DocumentFields): string {
  return Object.entries(fields).reduce(
    (current, [name, value]) => applyChanges(current, new JsonPlaces(current).set(name, value)),
    source,
  );
}
