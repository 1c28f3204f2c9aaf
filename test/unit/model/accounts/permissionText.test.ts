import assert from 'node:assert/strict';
import { commandSpecs } from '../../../../src/commandSpecs';
import {
  isCategory,
  mayUse,
  scopedPermissions,
  usualPermissions,
} from '../../../../src/model/accounts/permissionText';
import { permissionNamedIn, permissionOfRoute } from '../../../../src/model/accounts/routePermissions';

describe('what a key may do', () => {
  it('follows the categories of its record', () => {
    const key = { id: 1, permissions: { api: { misc: {}, instance_read: {} } } };
    assert.equal(mayUse(key, 'instance_read'), true);
    assert.equal(mayUse(key, 'instance_write'), false);
  });

  it('follows the flat form', () => {
    const readOnly = { id: 1, permissions: { read: true, write: false } };
    assert.equal(mayUse(readOnly, 'instance_read'), true);
    assert.equal(mayUse(readOnly, 'misc'), true);
    assert.equal(mayUse(readOnly, 'instance_write'), false);
    assert.equal(mayUse({ id: 1, permissions: { read: true, write: true } }, 'instance_write'), true);
  });

  it('is everything if the record does not state it', () => {
    assert.equal(mayUse({ id: 1 }, 'instance_write'), true);
    assert.equal(mayUse({ id: 1, permissions: { something: 'else' } }, 'instance_write'), true);
    assert.equal(mayUse(undefined, 'instance_write'), true);
  });
});

describe('a scoped key that the product makes', () => {
  const key = { id: 1, permissions: scopedPermissions(usualPermissions) };

  it('opens the market and what a renter uses, and hosts nothing', () => {
    const needed = new Set(
      Object.entries(commandSpecs).flatMap(
        ([id, { needs }]: [string, { readonly needs?: readonly string[] }]) =>
          /market|searchOffers|instance\.|spending/.test(id) ? (needs ?? []) : [],
      ),
    );
    assert.ok(needed.has('machine_read'), 'the market needs it');
    for (const category of [...needed].filter(isCategory)) {
      assert.ok(mayUse(key, category), category);
    }
    for (const category of ['machine_write', 'billing_write', 'user_write', 'team_write'] as const) {
      assert.equal(mayUse(key, category), false, category);
    }
  });
});

describe('permissionOfRoute', () => {
  const cases: readonly (readonly [route: string, permission: string | undefined])[] = [
    ['POST /api/v0/bundles/', 'misc'],
    ['POST /api/v0/volumes/search/', 'misc'],
    ['PUT /api/v0/asks/{offer_id}/', 'instance_write'],
    ['PUT /api/v0/instances/request_logs/{id}/', 'instance_read'],
    ['PUT /api/v0/instances/command/{id}/', 'instance_write'],
    ['GET /api/v1/instances/', 'instance_read'],
    ['GET /api/v0/instances/{instance_id}/ssh/', 'instance_read'],
    ['POST /api/v0/deployment/{id}/stop/', 'instance_write'],
    ['GET /api/v0/users/{user_id}/machine-earnings/', 'billing_read'],
    ['GET /api/v0/users/current/', 'user_read'],
    ['GET /api/v0/tfa/status/', 'user_read'],
    ['POST /api/v0/auth/apikeys/', 'user_write'],
    ['PUT /api/v0/machines/{machine_id}/minbid/', 'machine_write'],
    ['GET /api/v0/metrics/gpu/current/', 'machine_read'],
    ['GET /api/v0/team/roles/{id}/', 'team_read'],
    ['GET /somewhere/else/', undefined],
  ];
  for (const [route, permission] of cases) {
    it(`is ${permission ?? 'nothing'} for ${route}`, () => {
      assert.equal(permissionOfRoute(route), permission);
    });
  }
});

describe('permissionNamedIn', () => {
  it('finds the permission in the words of the service', () => {
    assert.equal(permissionNamedIn('This key lacks the permission user_write.'), 'user_write');
    assert.equal(permissionNamedIn('Missing scope: "instance_read"'), 'instance_read');
  });

  it('finds none where none is named', () => {
    assert.equal(permissionNamedIn('This action requires login.'), undefined);
    assert.equal(permissionNamedIn('see our misc pages'), undefined);
  });
});
