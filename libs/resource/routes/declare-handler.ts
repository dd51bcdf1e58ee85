/** Declares a handler whose name or route is computed. */
export function declareHandler(
  prototype: object,
  name: string,
  handler: (...args: never[]) => unknown,
  decorators: MethodDecorator[],
  parameters: ParameterDecorator[],
): void {
  const descriptor = { value: handler, writable: true, configurable: true, enumerable: false };
  Object.defineProperty(prototype, name, descriptor);
  Reflect.defineMetadata(
    'design:paramtypes',
    parameters.map(() => Object),
    prototype,
    name,
  );
  parameters.forEach((decorate, index) => decorate(prototype, name, index));
  decorators.forEach((decorate) => decorate(prototype, name, descriptor));
  Object.defineProperty(prototype, name, descriptor); // a decorator may have wrapped the handler
}
