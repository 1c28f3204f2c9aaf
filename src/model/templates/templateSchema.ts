import * as z from 'zod';
import { apiKeyDocument } from '../accounts/apiKeyDocument';
import { templateFields } from './templateFields';

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds Markdown descriptions, which the editor shows in hovers. */
function withMarkdown(schema: unknown): unknown {
  if (Array.isArray(schema)) {
    return schema.map(withMarkdown);
  }
  if (!isObject(schema)) {
    return schema;
  }
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      // Examples and defaults are values, not schemas.
      key === 'examples' || key === 'default' || key === 'defaultSnippets' || key === 'enum'
        ? [key, value]
        : [key, withMarkdown(value)],
    ),
  );
  return typeof copy['description'] === 'string'
    ? { ...copy, markdownDescription: copy['description'] }
    : copy;
}

/** Returns the JSON schema of a description, for the editor. */
export function draft7(schema: z.ZodType, more: JsonObject): JsonObject {
  const generated = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  const { $schema, ...rest } = withMarkdown(generated) as JsonObject;
  return { $schema, ...rest, ...more };
}

/**
 * Returns the JSON schemas of templates and keys that the package ships, by file name. They do not cover
 * missing and unknown keys, which our own diagnostics report and fix; one place should not be marked twice.
 */
export function documentSchemas(): Readonly<Record<string, JsonObject>> {
  return {
    'template.schema.json': draft7(templateFields, {
      allowComments: false,
      defaultSnippets: [
        {
          label: 'GPU Rental template',
          description: 'A template with SSH',
          body: {
            name: '${1:My template}',
            image: '${2:pytorch/pytorch}',
            tag: '${3:latest}',
            runtype: 'ssh',
            ssh_direct: true,
            use_ssh: true,
            env: {},
            onstart: '$4',
            recommended_disk_space: '^${5:16}',
            docker_login_repo: '',
            docker_login_user: '',
            docker_login_pass: '',
            private: true,
          },
        },
      ],
    }),
    'apiKey.schema.json': draft7(apiKeyDocument, { allowComments: true, allowTrailingCommas: true }),
  };
}

/** Returns the text of a schema file. */
export function renderSchema(schema: JsonObject): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
