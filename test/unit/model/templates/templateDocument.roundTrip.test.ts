import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toTemplate } from '../../../../src/api/templates';
import { envEntries } from '../../../../src/model/documents/envObject';
import {
  documentChanges,
  documentFields,
  parseDocument,
  renderDocument,
  type DocumentFields,
} from '../../../../src/model/templates/templateDocument';
import { serviceFields } from '../../../../src/model/templates/templateFields';
import { makeReference } from '../../../../src/model/templates/templateReference';
import { wireChanges } from '../../../../src/model/templates/templateWire';
import { template } from '../../../../src/wire/template';
import { sized } from '../../../support/seeded';
import { templateRecordText, variableName, variableValue } from '../../../support/templateRecords';

const noSecrets = () => undefined;
const manyRuns = { numRuns: sized(200, 5_000) };

/** The record as the client has it once it has read the answer. */
const raw = templateRecordText.map((text) => {
  const source: unknown = JSON.parse(text);
  return toTemplate(template.parse(source), source).raw;
});

/** The record after an edit, as the service has it then. */
function withBody(record: DocumentFields, body: Record<string, unknown>): DocumentFields {
  return { ...record, ...body };
}

describe('any template that the service may send', () => {
  it('sends nothing when its document is saved as it was opened', () => {
    fc.assert(
      fc.property(raw, (record) => {
        const fields = documentFields(record);
        const read = parseDocument(renderDocument(fields), fields);
        assert.deepEqual([...documentChanges(fields, read)], []);
      }),
      manyRuns,
    );
  });

  it('is shown with everything that it has', () => {
    fc.assert(
      fc.property(raw, (record) => {
        const fields = documentFields(record);
        for (const [name, value] of Object.entries(record)) {
          const isPassword = name === 'docker_login_pass';
          if (typeof value === 'string' && value.trim() !== '' && !serviceFields.has(name) && !isPassword) {
            const isUnreadable = !Object.hasOwn(fields, name) && value !== 'true' && value !== '1';
            assert.ok(!isUnreadable || unreadable.has(name) || isOff(value), `${name} is missing`);
          }
        }
      }),
      manyRuns,
    );
  });

  it('sends the one field that was edited, and nothing else', () => {
    const edits: Record<string, unknown> = {
      name: 'another name',
      desc: 'another line',
      image: 'another/image',
      tag: 'another',
      onstart: 'echo another',
      env: { ANOTHER: 'value' },
      extra_filters: { another: { eq: 1 } },
      recommended_disk_space: 77,
      volume_info: { another: 1 },
      docker_login_pass: 'another',
      runtype: 'another',
      args_str: '--another',
      jupyter_dir: '/another',
      href: 'https://another.example',
      readme: 'another text',
      surprise: { another: ['value'] },
    };
    fc.assert(
      fc.property(raw, fc.constantFrom(...Object.keys(edits)), (record, name) => {
        const fields = documentFields(record);
        const text = renderDocument({ ...fields, [name]: edits[name] });
        const body = wireChanges(documentChanges(fields, parseDocument(text, fields)), noSecrets);
        assert.deepEqual(Object.keys(body), [name]);
        assert.deepEqual(body[name], name === 'env' ? '-e ANOTHER=value' : edits[name]);
        // Opened again it says what was written; of a password only that there is one.
        fc.pre(name !== 'docker_login_pass');
        const saved = documentFields(withBody(record, body));
        assert.deepEqual([...documentChanges(parseDocument(text, fields), saved).keys()], []);
      }),
      manyRuns,
    );
  });

  it('sends a flag that was switched, and nothing else', () => {
    const flags = ['ssh_direct', 'use_ssh', 'jup_direct', 'use_jupyter_lab', 'private', 'readme_visible'];
    fc.assert(
      fc.property(raw, fc.constantFrom(...flags), (record, name) => {
        const fields = documentFields(record);
        const switched = fields[name] !== true;
        const changes = documentChanges(fields, { ...fields, [name]: switched });
        assert.deepEqual(wireChanges(changes, noSecrets), { [name]: switched });
      }),
    );
  });

  it('sends the environment, and nothing else, when one variable of it was edited', () => {
    fc.assert(
      fc.property(raw, variableName, variableValue, (record, name, value) => {
        const fields = documentFields(record);
        const { env } = fields;
        fc.pre(typeof env !== 'string');
        const before = (env ?? {}) as Readonly<Record<string, string>>;
        fc.pre(before[name] !== value);
        // What is no name of a variable is sent as it is, and the service decides what becomes of it.
        fc.pre(envEntries(before).problems.length === 0);
        const edited = { ...fields, env: { ...before, [name]: value } };
        const body = wireChanges(documentChanges(fields, edited), noSecrets);
        assert.deepEqual(Object.keys(body), ['env']);
        // What the service then has is what the document says.
        const saved = documentFields(withBody(record, body));
        assert.deepEqual([...documentChanges(edited, saved)], []);
      }),
      manyRuns,
    );
  });

  it('sends the filters as an object, and nothing else, when one of them was edited', () => {
    fc.assert(
      fc.property(raw, fc.integer(), (record, count) => {
        const fields = documentFields(record);
        const before = fields['extra_filters'];
        fc.pre(before === undefined || typeof before === 'object');
        const edited = { ...fields, extra_filters: { ...(before as object), num_gpus: { neq: count } } };
        for (const written of [edited.extra_filters, JSON.stringify(edited.extra_filters)]) {
          const changes = documentChanges(fields, { ...fields, extra_filters: written });
          assert.deepEqual(wireChanges(changes, noSecrets), { extra_filters: edited.extra_filters });
        }
      }),
      manyRuns,
    );
  });

  it('shows no field of the service and never a registry password', () => {
    fc.assert(
      fc.property(raw, fc.stringMatching(/^[a-zXYZ0-9]{12,20}$/), (record, password) => {
        const fields = documentFields({ ...record, docker_login_pass: password });
        assert.deepEqual(
          Object.keys(fields).filter((name) => serviceFields.has(name)),
          [],
        );
        assert.ok(!renderDocument(fields).includes(password));
        assert.equal(fields['docker_login_pass'], makeReference(`registry-${Number(record['id'])}`));
      }),
    );
  });
});

/** Fields that are no text: a text that says nothing of their kind is left alone, also at the service. */
const unreadable = new Set([
  'recommended_disk_space',
  'volume_info',
  'extra_filters',
  'ssh_direct',
  'use_ssh',
  'jup_direct',
  'use_jupyter_lab',
  'private',
  'readme_visible',
]);

const isOff = (value: string) => value === 'false' || value === '0';
