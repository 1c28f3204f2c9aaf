import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { readApiKeyDocument, renderApiKeyDocument } from '../../../../src/model/accounts/apiKeyDocument';
import { scopedPermissions } from '../../../../src/model/accounts/permissionText';
import { formatText } from '../../../../src/util/text';

const read = (source: string) => readApiKeyDocument(source, (address) => isIP(address) !== 0);

/** What is wrong, and the text that is marked. */
function problem(content: unknown): string {
  const source = typeof content === 'string' ? content : JSON.stringify(content);
  const result = read(source);
  assert.equal(result.kind, 'problem');
  const { offset, length } = result.span;
  return `${formatText(result.message)} @ ${source.slice(offset, offset + length)}`;
}

describe('the document of an API key', () => {
  it('is read as it is made', () => {
    const permissions = scopedPermissions(['misc', 'instance_read']);
    const result = read(renderApiKeyDocument('build server', permissions));
    assert.deepEqual(result, { kind: 'key', key: { name: 'build server', permissions, ipWhitelist: [] } });
  });

  it('may hold constraints for one endpoint, addresses, comments and a comma too many', () => {
    const result = read(`{
      // Logs of one instance alone.
      "permissions": {"api": {"instance_read": {"api.instance.request_logs": {"constraints": {"id": {"eq": 1227}}}}}},
      "ip_whitelist": ["203.0.113.7", "2001:db8::1"],
    }`);
    assert.equal(result.kind, 'key');
    assert.deepEqual(result.key.ipWhitelist, ['203.0.113.7', '2001:db8::1']);
    assert.deepEqual(result.key.permissions, {
      api: { instance_read: { 'api.instance.request_logs': { constraints: { id: { eq: 1227 } } } } },
    });
  });

  it('may have the flat form', () => {
    assert.equal(read('{"permissions": {"read": true, "write": false}}').kind, 'key');
  });

  it('shows what is wrong, and where', () => {
    assert.match(problem('{"permissions": '), /not valid JSON/);
    assert.match(
      problem({ permissions: { api: { instance_reed: {} } } }),
      /^instance_reed is not allowed here\. @ "instance_reed"/,
    );
    assert.match(problem({ permissions: { api: {} } }), /at least one permission/);
    assert.match(problem({ permissions: { read: false } }), /at least one permission/);
    assert.match(
      problem({ permissions: { api: { misc: true } } }),
      /^\"permissions\.api\.misc\" has a wrong value\. @ true/,
    );
    assert.match(
      problem({ permissions: { read: 'yes' } }),
      /^"permissions\.read" has a wrong value\. @ "yes"/,
    );
    assert.match(problem({ name: 'x' }), /"permissions" has a wrong value/);
    assert.match(problem({ permissions: { read: true }, key: 'abc' }), /^key is not allowed here/);
    assert.match(
      problem({ permissions: { read: true }, ip_whitelist: ['nowhere'] }),
      /^nowhere is not an IP address/,
    );
    assert.match(
      problem({ permissions: { api: { misc: { 'api.x': { constraints: { id: { like: 5 } } } } } } }),
      /^like is not allowed here/,
    );
    assert.match(problem('[]'), /has a wrong value/);
  });
});
