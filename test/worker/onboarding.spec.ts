import type { OnboardingView } from '#src/areas/setup/onboarding/onboarding.dto.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.worker();
});
afterAll(() => stage.close());

it('finds the webhook step of the onboarding done after the first delivered event', async () => {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const status = async () => {
    const { body } = await tenant.api.get<OnboardingView>('/api/admin/onboarding');
    return body.steps.find(({ key }) => key === 'webhook_verified')!.status;
  };
  const endpoint = await stage.endpoint(tenant, receiver.url);
  expect(await status()).toBe('todo');
  await stage.deal(tenant);
  await stage.statuses(endpoint, ['delivered']);
  expect(await status()).toBe('done');
});
