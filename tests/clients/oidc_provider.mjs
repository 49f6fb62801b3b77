// A real OpenID provider on loopback, for the tests of signing in. Prints its address when it is ready.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const people = JSON.parse(process.argv[2]);
const claimsOf = (id) => ({ preferred_username: id, groups: people[id] ?? [] });

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const provider = new Provider(`http://127.0.0.1:${server.address().port}`, {
    clients: [
      {
        client_id: 'the-page',
        client_secret: 'a secret that is only for tests / with odd: characters',
        redirect_uris: ['http://127.0.0.1/login/back'],
      },
      {
        client_id: 'an-agent',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/login/back'],
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'groups'],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...claimsOf(id) }) }),
    extraTokenClaims: (_, token) => claimsOf(token.accountId),
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: 'hansard:read hansard:write',
          audience: resource,
          accessTokenFormat: 'jwt',
        }),
      },
    },
    pkce: { required: () => true },
    cookies: { keys: ['only for tests'] },
  });
  // Servers under test listen wherever there is room, which nobody knows beforehand.
  provider.Client.prototype.redirectUriAllowed = (uri) => {
    const { hostname, pathname } = new URL(uri);
    return hostname === '127.0.0.1' && pathname === '/login/back';
  };
  server.on('request', provider.callback());
  process.stdout.write(`${provider.issuer}\n`);
});
