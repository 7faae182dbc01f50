//! Bytes to bits, 64 at a time: which are of ASCII words, which are not ASCII at all; and a lower-case copy.
//!
//! The only file with `unsafe` in it. Each kernel is a few instructions of one processor family; [`scalar`] is the twin
//! that says what they must do. A kernel is chosen at run time, and only after it agreed with the twin on every byte.
#![expect(unsafe_code, reason = "SIMD intrinsics, each with the scalar twin it is tested against")]
#![cfg_attr(
    target_arch = "x86_64",
    expect(clippy::cast_ptr_alignment, reason = "the loads and stores are unaligned ones")
)]

use std::sync::OnceLock;

/// Bytes per step.
pub const BLOCK: usize = 64;

/// The classes of 64 bytes: one bit per byte, the first byte in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// ASCII letters, digits and the underscore.
    pub words: u64,
    /// Bytes that are not ASCII.
    pub wide: u64,
}

/// Classifies whole blocks of `bytes`, and writes them to `lower` with ASCII capitals in lower case.
///
/// `bytes`, `lower` and 64 times `blocks` have one length.
pub type Kernel = fn(bytes: &[u8], lower: &mut [u8], blocks: &mut [Block]);

/// The fastest kernel of this machine that does exactly what [`scalar`] does.
pub fn kernel() -> Kernel {
    static CHOSEN: OnceLock<Kernel> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        kernels().into_iter().map(|(_, kernel)| kernel).find(|kernel| agrees(*kernel)).unwrap_or(scalar)
    })
}

/// The kernels this machine can run, fastest first, by name.
pub fn kernels() -> Vec<(&'static str, Kernel)> {
    let mut kernels: Vec<(&'static str, Kernel)> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512bw") {
            kernels.push(("avx512", |bytes, lower, blocks| {
                // SAFETY: the processor was just found to have AVX-512BW.
                unsafe { avx512(bytes, lower, blocks) }
            }));
        }
        if is_x86_feature_detected!("avx2") {
            kernels.push(("avx2", |bytes, lower, blocks| {
                // SAFETY: the processor was just found to have AVX2.
                unsafe { avx2(bytes, lower, blocks) }
            }));
        }
    }
    #[cfg(target_arch = "aarch64")]
    kernels.push(("neon", |bytes, lower, blocks| {
        // SAFETY: every aarch64 processor has NEON.
        unsafe { neon(bytes, lower, blocks) }
    }));
    kernels.push(("scalar", scalar));
    kernels
}

/// True if a kernel gives the same result as [`scalar`] for every byte in every lane (257 is 1 more than a multiple of
/// 64, so that each byte passes through each lane).
pub fn agrees(kernel: Kernel) -> bool {
    let bytes: Vec<u8> = (0..BLOCK * 320).map(|i| (i % 257) as u8).collect();
    let run = |kernel: Kernel| {
        let mut lower = vec![0; bytes.len()];
        let mut blocks = vec![Block::default(); bytes.len() / BLOCK];
        kernel(&bytes, &mut lower, &mut blocks);
        (lower, blocks)
    };
    run(kernel) == run(scalar)
}

/// True if a byte belongs to an ASCII word.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The plain version, byte by byte.
pub fn scalar(bytes: &[u8], lower: &mut [u8], blocks: &mut [Block]) {
    let (chunks, lowers) = (bytes.chunks_exact(BLOCK), lower.chunks_exact_mut(BLOCK));
    for ((chunk, lower), block) in chunks.zip(lowers).zip(blocks) {
        *block = Block::default();
        for (i, byte) in chunk.iter().enumerate() {
            block.words |= u64::from(is_word(*byte)) << i;
            block.wide |= u64::from(!byte.is_ascii()) << i;
            lower[i] = byte.to_ascii_lowercase();
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(bytes: &[u8], lower: &mut [u8], blocks: &mut [Block]) {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_storeu_si256,
    };

    let case = _mm256_set1_epi8(0x20);
    let minus_a = _mm256_set1_epi8(b'a'.wrapping_neg().cast_signed());
    let minus_zero = _mm256_set1_epi8(b'0'.wrapping_neg().cast_signed());
    let (last_letter, last_digit) = (_mm256_set1_epi8(25), _mm256_set1_epi8(9));
    let underscore = _mm256_set1_epi8(b'_'.cast_signed());

    let (chunks, lowers) = (bytes.chunks_exact(BLOCK), lower.chunks_exact_mut(BLOCK));
    for ((chunk, lower), block) in chunks.zip(lowers).zip(blocks) {
        *block = Block::default();
        for half in 0..2 {
            let at = half * 32;
            // SAFETY: a chunk has 64 bytes, and an unaligned load takes 32 from 0 or 32 on.
            let x = unsafe { _mm256_loadu_si256(chunk[at..at + 32].as_ptr().cast::<__m256i>()) };
            // A byte is in a range of n when, less the range's start, it is its own minimum with n - 1.
            let letter = _mm256_add_epi8(_mm256_or_si256(x, case), minus_a);
            let is_letter = _mm256_cmpeq_epi8(_mm256_min_epu8(letter, last_letter), letter);
            let digit = _mm256_add_epi8(x, minus_zero);
            let is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, last_digit), digit);
            let small = _mm256_or_si256(x, _mm256_and_si256(is_letter, case));
            // SAFETY: as for the load; `lower` has the length of `chunk`.
            unsafe { _mm256_storeu_si256(lower[at..at + 32].as_mut_ptr().cast::<__m256i>(), small) };
            let is_other = _mm256_or_si256(is_digit, _mm256_cmpeq_epi8(x, underscore));
            let words = _mm256_movemask_epi8(_mm256_or_si256(is_letter, is_other)).cast_unsigned();
            block.words |= u64::from(words) << at;
            block.wide |= u64::from(_mm256_movemask_epi8(x).cast_unsigned()) << at;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn avx512(bytes: &[u8], lower: &mut [u8], blocks: &mut [Block]) {
    use std::arch::x86_64::{
        _mm512_add_epi8, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_loadu_si512, _mm512_mask_blend_epi8,
        _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8, _mm512_storeu_si512,
    };

    let case = _mm512_set1_epi8(0x20);
    let minus_a = _mm512_set1_epi8(b'a'.wrapping_neg().cast_signed());
    let minus_zero = _mm512_set1_epi8(b'0'.wrapping_neg().cast_signed());
    let (last_letter, last_digit) = (_mm512_set1_epi8(25), _mm512_set1_epi8(9));
    let underscore = _mm512_set1_epi8(b'_'.cast_signed());

    let (chunks, lowers) = (bytes.chunks_exact(BLOCK), lower.chunks_exact_mut(BLOCK));
    for ((chunk, lower), block) in chunks.zip(lowers).zip(blocks) {
        // SAFETY: a chunk has 64 bytes, and an unaligned load takes 64.
        let x = unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) };
        let small = _mm512_or_si512(x, case);
        let is_letter = _mm512_cmple_epu8_mask(_mm512_add_epi8(small, minus_a), last_letter);
        let is_digit = _mm512_cmple_epu8_mask(_mm512_add_epi8(x, minus_zero), last_digit);
        // SAFETY: as for the load; `lower` has the length of `chunk`.
        unsafe { _mm512_storeu_si512(lower.as_mut_ptr().cast(), _mm512_mask_blend_epi8(is_letter, x, small)) };
        let words = is_letter | is_digit | _mm512_cmpeq_epi8_mask(x, underscore);
        *block = Block { words, wide: _mm512_movepi8_mask(x) };
    }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
fn neon(bytes: &[u8], lower: &mut [u8], blocks: &mut [Block]) {
    use std::arch::aarch64::{
        uint8x16_t, vaddq_u8, vandq_u8, vceqq_u8, vcleq_u8, vcltzq_s8, vdupq_n_u8, vgetq_lane_u64, vld1q_u8, vorrq_u8,
        vpaddq_u8, vreinterpretq_s8_u8, vreinterpretq_u64_u8, vst1q_u8,
    };

    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: `BITS` has the 16 bytes that the load takes.
    let bits = unsafe { vld1q_u8(BITS.as_ptr()) };
    // NEON has no move-mask: keep one bit a byte, then add neighbors three times, so that 64 bytes become 8.
    let mask = |lanes: [uint8x16_t; 4]| {
        let [a, b, c, d] = lanes.map(|lane| vandq_u8(lane, bits));
        let sum = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)))
    };

    let case = vdupq_n_u8(0x20);
    let minus_a = vdupq_n_u8(b'a'.wrapping_neg());
    let minus_zero = vdupq_n_u8(b'0'.wrapping_neg());
    let (last_letter, last_digit) = (vdupq_n_u8(25), vdupq_n_u8(9));
    let underscore = vdupq_n_u8(b'_');

    let (chunks, lowers) = (bytes.chunks_exact(BLOCK), lower.chunks_exact_mut(BLOCK));
    for ((chunk, lower), block) in chunks.zip(lowers).zip(blocks) {
        let (mut words, mut wide) = ([case; 4], [case; 4]);
        for quarter in 0..4 {
            let at = quarter * 16;
            // SAFETY: a chunk has 64 bytes, and the load takes 16 from 0, 16, 32 or 48 on.
            let x = unsafe { vld1q_u8(chunk[at..at + 16].as_ptr()) };
            let is_letter = vcleq_u8(vaddq_u8(vorrq_u8(x, case), minus_a), last_letter);
            let is_digit = vcleq_u8(vaddq_u8(x, minus_zero), last_digit);
            // SAFETY: as for the load; `lower` has the length of `chunk`.
            unsafe { vst1q_u8(lower[at..at + 16].as_mut_ptr(), vorrq_u8(x, vandq_u8(is_letter, case))) };
            words[quarter] = vorrq_u8(vorrq_u8(is_letter, is_digit), vceqq_u8(x, underscore));
            wide[quarter] = vcltzq_s8(vreinterpretq_s8_u8(x));
        }
        *block = Block { words: mask(words), wide: mask(wide) };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(kernel: Kernel, bytes: &[u8]) -> (Vec<u8>, Vec<Block>) {
        let mut lower = vec![0; bytes.len()];
        let mut blocks = vec![Block::default(); bytes.len() / BLOCK];
        kernel(bytes, &mut lower, &mut blocks);
        (lower, blocks)
    }

    #[test]
    fn every_kernel_of_this_machine_agrees_with_the_scalar_twin() {
        for (name, kernel) in kernels() {
            assert!(agrees(kernel), "{name}");
        }
    }

    #[test]
    fn a_wrong_kernel_is_noticed() {
        assert!(!agrees(|bytes, lower, blocks| {
            scalar(bytes, lower, blocks);
            blocks[3].words ^= 1 << 17;
        }));
    }

    #[test]
    fn letters_digits_and_underscores_are_words_and_punctuation_is_not() {
        let mut bytes = *b"Az09_-\xC3\xA9                                                        ";
        let (lower, blocks) = run(kernel(), &bytes);
        assert_eq!(blocks, [Block { words: 0b1_1111, wide: 0b1100_0000 }]);
        bytes[0] = b'a';
        assert_eq!(lower, bytes);
    }

    proptest! {
        #[test]
        fn kernels_agree_on_any_bytes(mut bytes in proptest::collection::vec(any::<u8>(), 0..1000)) {
            bytes.resize(bytes.len().next_multiple_of(BLOCK), b' ');
            let expected = run(scalar, &bytes);
            for (name, kernel) in kernels() {
                prop_assert_eq!(&run(kernel, &bytes), &expected, "{}", name);
            }
        }
    }
}
