"""The keystream: real AES-CTR, a fresh key for each stream and process, each byte once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

from hushpoll_server.bulk.keystream import Keystream, encrypting


def test_the_stream_is_aes_of_a_counter() -> None:
    key, counter = bytes(range(16)), bytes(16)
    blocks = b"".join(number.to_bytes(16, "big") for number in range(3))
    assert encrypting(key, counter).update(bytes(48)) == Cipher(AES(key), ECB()).encryptor().update(blocks)


def test_two_streams_have_nothing_in_common() -> None:
    assert Keystream().take(64).tobytes() != Keystream().take(64).tobytes()


def test_no_byte_is_handed_out_twice_however_it_is_taken() -> None:
    stream = Keystream()
    parts = [stream.take(count) for count in (1, 15, 33, 0, 4096, 7)]
    assert [len(part) for part in parts] == [1, 15, 33, 0, 4096, 7]
    blocks = np.concatenate([*parts, stream.take(8 * 1000)])[: 8 * 1500].view(np.uint64)
    assert len(np.unique(blocks)) == len(blocks)


def test_an_array_belongs_to_its_taker() -> None:
    stream = Keystream()
    first = stream.take(32)
    kept = first.tobytes()
    stream.take(32)[:] = 0
    assert first.tobytes() == kept
    assert first.flags.writeable


def test_threads_do_not_share_bytes() -> None:
    stream = Keystream()
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: stream.take(16).tobytes(), range(2000)))
    assert len(set(taken)) == 2000


def test_a_forked_child_has_bytes_of_its_own() -> None:
    stream = Keystream()
    stream.take(5)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, stream.take(16).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 16) != stream.take(16).tobytes()
    os.close(read)
    os.close(write)
