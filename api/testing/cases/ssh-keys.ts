// Public keys made by ssh-keygen for these tests; their private halves were thrown away.

/** A key of ed25519. */
export const ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOwFe5W87Abu/SaapW03X4r98zjxPnQepO97fEkQsbeN";

/** A key of ecdsa256. */
export const ecdsa256 =
  "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBAvQvf+OZ2JdJW0sw4PtnOglZ9IcmtfrD2hn+ThFelOeAxw7tXEph8qdAPbseuRcpkxgr/5pWyxr7oHtd7rB+FY=";

/** A key of ecdsa384. */
export const ecdsa384 =
  "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBHcclkSSOagYzKrpCtXbv9utArc8I0RvHpajwUIanCHJhZzaQDbbPztVDJwPSHtiD/mPJjPxUfXBSF+RepFgKBD33ErkJSyjkIOFEAKOqOx+2P/UJ5f/ZIXsGeSaixZOOw==";

/** A key of ecdsa521. */
export const ecdsa521 =
  "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBABsnGM2ZjJsBTsfBSvfTwjGQLf+Z9wZOgCVq91sj4AZwljZ/4e+3pK6glnSw0f0i05MvRQ5SU1k1HvN0VJT4h8lqwDZdmpu1wJATxW0zIAQ/7V5yU1DGV3YXTOtUwtKUwhWDR/R2K7St6qYEbwOkeHhqbVk+4g2ZfE6FL70g2N2/p1yAw==";

/** A key of rsa1024. */
export const rsa1024 =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC1YBteOUdZxL7/zEyRiZidcydvFXf8OtS46/tqlGFIGdrUNiU3Z+lHDlOwsmJnaYn+cGuvbWHGwU0krYgPdnuVIMjMGjXnL41Cb47zloR4HtBjrczr8bk+WkU+qfUGQzJMhnfO25/0CFYKMZ/viQ+0ofC0Ecxti/HGXdTcKr5CYQ==";

/** A key of rsa2048. */
export const rsa2048 =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDovoXTcS4yXuQgY77F2wg8MFS1cju9lDsY7ed9IRjUc6Yb+Fp9x5lc8uMHV3KGUyGkhLVPYpGshlBp0ytM7IO8F+Xw8n2fkF1fE2VV4aojHtbmXaJgkWY/u9hyVxX8n7yXO1WlqIx6+pAVHTf2c7ky8VCF/aBNumeZUGrSephum7jBHd/6eIDirGLqSBwCBOY3qXtG2L/PRZwEyz4mLhChfnZV4IHjnNJMeNHJWzaONA+C4yrGkXWe/K8/V2lJ01o3B5eWlGmCLDNuQiLF6SJORXdUfo8T1zzaxHtqGTjUo8uo76Linu71X2eWibDjiSIV/O4IffR7Ph4z5vMPQsuP";

/** A key of rsa3070. */
export const rsa3070 =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgDXpaUmi0kx11rXjS57Uem32ByHhNVNx6RhrGQyeUbXsCDlImpHNfi9mUbRMDq+LlEHZ+onbGpPgSb/Iv2ldXvbS5AZk00PWqRBX20hvWOVkleHmnxr15C0COj/JDNG/EK1rBj1HRxHJb2b/JRsLNg5/9+x8lj2WIfia9MGigj0BKZW65hPipzRD4LabsmgE7UM8WZAvzbdIGlTWXR0y/qU7cdZcdYqjtHMB+KMcXD6KS+dBBbr7TacLp4dnDhTX/6jH5IoGaZq/RIVfeHDTs59+GUG+JNLf28PSvhsyAMZB2wTkpVFpMPtk7fQ2+n1MdC+GxAkxJ9hB1WUF8R3y8tjHnxXGcwo0LJFm7nWwi2QelRaUfnBGiCOnKpw+syV2NGhEh8ukhdvTUwUPi0mp+K0Z8HVrZBHOaVkD91c4mGvyM+6QGQNKR/lfVvIwRbiL3jXZWblm6XMKS52u8g2dHjR87bv8fpLcEVKO1ohEj3MqdvIA2y/+KSpZ/u9VQR5csQ==";

/** A key of rsa3072. */
export const rsa3072 =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQCyWR/PAtD4hxRdgfNZJHAWHO20jicgHuJYRtd9p+QcR1A1WUycIbEAbZlSWQJUy62LHXvtAHL7k37AKBjzWYh0x4P/KbOj1gLI+NDLWG3KUVkINfIY3xhE0jGZjEY1CQbvlL32//flJVSYvLctopOiePlSlWeS1hkFVWbkfiVlYXjY1qsOxPklfcPnbDIwVFbzhhAMKArIJqpaB3IMH8ezihfVBVtQQCraNMdH4nmdmwcvl0k+TEBXnB7VSubUDW9oDLJVAkxeX6lG/Z85lRpdKHYZB49AFHO4BVc+FMluEpUylmNQUQoa2JxfmvnAzWMNrqV4wI4sBfusg52X7vvnT8OAje+zoZxYX/GXOkSFDai5DDqisdruiwj65r3y1SBABMjmUuuQIzWqTlcqKu/ZNbB2h3Qbi5NCasILaIFy6SnMekExvov1jQWUUHNHs1+CUco3VM0YE7mSui9KS7ANaZO1vyuADeM5kMZA+SKQAU0eghJAg+sv/E04kDnJ0s8=";

/** A key of rsa4096. */
export const rsa4096 =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAACAQCpCCH7YYIGJEUSdELIxUJg+oPYW/KolTggTHkm/iocmVs1Y7ciinWZq3qR5yqT9Fkyi7KbV6ScOdEuWM7/msYZJeUr2I4C9IpeAyx1p0QQLs5EJsyqwIjATnUl+UqdJSL0l0RwiuGIuXKJjrc3XzKC1Q1kK1YPD328Q73Z8Pi7+4wPVkwSjkHf4G+SjLEg+SWhd+LduUPFTO/LSIA93uYKTnxHu4b9BicxNcyVoaIgAXkyTyTypMZ3otsCFralIfkbuVNNvn2bGrhCuk2zHTedyYa2Dl8LYXK7ZdoRzo0REoB3YdSnDKc6X51jn6wzYHgqt9PEQDC9gghJ/JX6ZSU9ABDSHmdR3EFC135nuaqi6fTs8VhAyxevbPt1ATjJvWspgs0QmTvQMDOV5wz8WJqntwWsNiwMKCKXgdlzhF6tftyDwFpnFYmYrf9oTaKbaV3LsC9lhh1JK8lIH8+9UJqIfZjH1B6xFtea4AN19mA1qiPll+Ibq4n8hrSy49s15GbuQm+hx5/DSSjYBn2R5Gg17XAmBoGoTTCCo+lbn/spMb++/kECE4fLcDkeMj/vVQ3Ryggsvly0gK0wgr8nN6Mntgjey/XFfkESx3k27+XuW3J9Ib6Egb7cp015/w/FeVhiaq6fjRoxcboVCuaKrDoMqKjehZtbvMUczPMy1h3aBw==";

/** A key of dsa1024. */
export const dsa1024 =
  "ssh-dss AAAAB3NzaC1kc3MAAACBANVzDte0cqiKocdaf1tVHNBlms+IJcQkXjgRkizSUJdBGvS+xewotFA07Jup1v+9zfu7tmMJ0Qx1ZzOtClIKCQDKbTyJvz8MWxLQUGgsP+9WJIip878FZO1X5U/G4LOUQgcsS114Y57EMhXhpLtASxgI3geth2QDcNRlwi46hM77AAAAFQCIZiJeZ7w7vKhE8aiX+ArE126oAQAAAIApaIcoq9cNAMkodP7Z1NxbLSSIyPpqu4LjDDGfuboLumQwHDZaWPY0SjDl+xPx4wewKd5Muuwbmo6cMj2PL6BFXpYvwDipYPChiJEq3xwPptTT8h7Uf9/kAJhbyy/qWl9Awi+n8pppnZrK2LEzmbWPrLu/4ui794KV+sbRDoyO+gAAAIEAjuQJSAHwoIsHIzoVKTXx9phmlXEvPmJTepNGJhtgbafyEX8vNWCS5awVppIWKTCWCmFPNvksswGycktwoC9Mqt5bsedzTwdZ5NNPW1ZdvYo0PsEIDPTvuvPaMXu6CHnJ22yEa3+ZIdeMjRxbTHbDVDxAtc8iYtDUD1cbhRa89q0=";

/** A key of these fields, each with its length before it, as RFC 4251 writes them. */
export function keyOf(algorithm: string, ...fields: (string | readonly number[])[]): string {
  const parts = [algorithm, ...fields].flatMap((field) => {
    const bytes = Buffer.from(field as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return `${algorithm} ${Buffer.concat(parts).toString("base64")}`;
}

/** An RSA key whose modulus has this many bits. It is no product of two primes, which nobody can see. */
export function rsaKey(bits: number, exponent: readonly number[] = [1, 0, 1]): string {
  const bytes = Array.from({ length: Math.ceil(bits / 8) }, (_, index) => (index * 37 + 11) % 256);
  const top = (bits - 1) % 8;
  bytes[0] = 1 << top;
  bytes[bytes.length - 1] = 1;
  return keyOf("ssh-rsa", exponent, top === 7 ? [0, ...bytes] : bytes);
}

/** A point on a curve of this many bytes, as it is written: which point it is, nobody can see. */
export function pointOf(size: number): number[] {
  return [4, ...Array.from({ length: size - 1 }, (_, index) => (index * 53 + 5) % 256)];
}

const seed = Array.from({ length: 32 }, (_, index) => index + 1);

/** Keys of security tokens; an application may be any text. */
export const tokenKeys = [
  keyOf("sk-ssh-ed25519@openssh.com", seed, "ssh:"),
  keyOf("sk-ssh-ed25519@openssh.com", seed, "ssh:fleet"),
  keyOf("sk-ssh-ed25519@openssh.com", seed, `ssh:${"a".repeat(100)}`),
  keyOf("sk-ecdsa-sha2-nistp256@openssh.com", "nistp256", pointOf(65), "ssh:"),
  keyOf("sk-ecdsa-sha2-nistp256@openssh.com", "nistp256", pointOf(65), `ssh:${"b".repeat(80)}`),
];
