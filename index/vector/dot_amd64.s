#include "textflag.h"

// func dotBlocks(row *byte, query *int16, n int) int32
//
// Sixteen numbers a round: bytes are widened to words by doubling them and shifting the copy out, and PMADDWL
// multiplies eight words and adds neighbours. Nothing beyond SSE2 is used, which every amd64 has.
TEXT ·dotBlocks(SB), NOSPLIT, $0-28
	MOVQ row+0(FP), SI
	MOVQ query+8(FP), DI
	MOVQ n+16(FP), CX
	PXOR X0, X0
	PXOR X1, X1

loop:
	SUBQ      $16, CX
	JLT       done
	MOVOU     (SI), X2
	MOVO      X2, X3
	PUNPCKLBW X2, X2
	PUNPCKHBW X3, X3
	PSRAW     $8, X2
	PSRAW     $8, X3
	MOVOU     (DI), X4
	MOVOU     16(DI), X5
	PMADDWL   X4, X2
	PMADDWL   X5, X3
	PADDL     X2, X0
	PADDL     X3, X1
	ADDQ      $16, SI
	ADDQ      $32, DI
	JMP       loop

done:
	PADDL  X1, X0
	PSHUFD $0x4E, X0, X1
	PADDL  X1, X0
	PSHUFD $0xB1, X0, X1
	PADDL  X1, X0
	MOVQ   X0, AX
	MOVL   AX, ret+24(FP)
	RET
